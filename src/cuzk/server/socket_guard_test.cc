#include "cuzk/server/socket_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "cuzk/server/acceptor.h"
#include "cuzk/server/credentials.h"
#include "cuzk/server/listener.h"
#include "cuzk/server/rpc_service.h"

namespace cuzk::server {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class SocketGuardTest : public ::testing::Test {
 protected:
  SocketGuardTest() {
    std::string pattern = (fs::temp_directory_path() / "cuzk-socket-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~SocketGuardTest() override { fs::remove_all(root_); }

  /// A socket that is bound; with `listening`, somebody answers.
  static int bind_socket(const std::string& path, bool listening, int type = SOCK_STREAM) {
    const int fd = ::socket(AF_UNIX, type, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    if (listening) {
      EXPECT_EQ(::listen(fd, 1), 0);
    }
    return fd;
  }

  std::string root_;
};

TEST_F(SocketGuardTest, OneHolderAtATime) {
  const std::string path = root_ + "/run/cuzk.sock";  // the folder is made
  std::optional<SocketGuard> first(SocketGuard::take(path).value());
  const auto second = SocketGuard::take(path);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kIo);
  EXPECT_THAT(second.error().message, HasSubstr("a live daemon has it"));
  first.reset();
  EXPECT_TRUE(SocketGuard::take(path));
}

TEST_F(SocketGuardTest, ADeadSocketIsRemovedAndALiveOneIsNot) {
  const std::string path = root_ + "/cuzk.sock";
  ::close(bind_socket(path, true));  // what a killed daemon leaves
  ASSERT_TRUE(fs::exists(path));
  EXPECT_TRUE(SocketGuard::take(path));
  EXPECT_FALSE(fs::exists(path));

  const int live = bind_socket(path, true);
  const auto refused = SocketGuard::take(path);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("a live process answers there"));
  EXPECT_TRUE(fs::exists(path));
  ::close(live);
}

TEST_F(SocketGuardTest, ASocketOfAnotherTypeIsSomebodysWhileItLives) {
  const std::string path = root_ + "/cuzk.sock";
  const int live = bind_socket(path, false, SOCK_DGRAM);
  EXPECT_THAT(SocketGuard::take(path).error().message, HasSubstr("a live process answers there"));
  EXPECT_TRUE(fs::exists(path));
  ::close(live);
  EXPECT_TRUE(SocketGuard::take(path));
}

TEST_F(SocketGuardTest, AFileIsNoSocket) {
  const std::string path = root_ + "/cuzk.sock";
  std::ofstream(path) << "mine";
  EXPECT_THAT(SocketGuard::take(path).error().message, HasSubstr("no socket"));
  EXPECT_TRUE(fs::exists(path));
}

TEST(Addresses, Kinds) {
  EXPECT_EQ(unix_path("unix:///run/a.sock"), "/run/a.sock");
  EXPECT_EQ(unix_path("127.0.0.1:9820"), "");
  for (const char* here : {"127.0.0.1:1", "127.9.9.9:1", "localhost:1", "[::1]:1"})
    EXPECT_TRUE(is_loopback(here));
  for (const char* open : {"0.0.0.0:1", "10.0.0.1:1", "[::]:1", "host:1"}) EXPECT_FALSE(is_loopback(open));
}

/// Connects to a port of the loopback; the descriptor, or -1.
Descriptor connect_to(int port) {
  Descriptor out(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(out.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  return out;
}

TEST(ListenerTest, TcpAddresses) {
  std::optional<Listener> first(Listener::bind("127.0.0.1:0", "daemon.listen").value());
  const int port = first->port();
  EXPECT_EQ(first->address(), "127.0.0.1:" + std::to_string(port));
  EXPECT_FALSE(first->is_unix());
  EXPECT_FALSE(connect_to(port));  // not yet
  ASSERT_TRUE(first->listen());
  EXPECT_TRUE(connect_to(port));

  const auto refused = Listener::bind(first->address(), "daemon.listen");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_THAT(refused.error().message,
              HasSubstr("daemon.listen: cannot listen on '" + first->address() + "': "));
  // The other address of the name is free, but this one is not.
  EXPECT_FALSE(Listener::bind("localhost:" + std::to_string(port), "daemon.listen"));
  const std::string address = first->address();
  first.reset();
  EXPECT_TRUE(Listener::bind(address, "daemon.listen"));
  EXPECT_FALSE(Listener::bind("192.0.2.1:0", "daemon.listen"));  // of no machine

  if (Result<Listener> all = Listener::bind("[::]:0", "daemon.listen")) {  // not on a machine without IPv6
    ASSERT_TRUE(all->listen());
    EXPECT_TRUE(connect_to(all->port()));  // over IPv4
  }
}

TEST_F(SocketGuardTest, ListenerOfASocket) {
  const std::string path = root_ + "/cuzk.sock";
  {
    Listener listener = Listener::bind("unix://" + path, "daemon.listen").value();
    ASSERT_TRUE(listener.listen());
    EXPECT_TRUE(listener.is_unix());
    EXPECT_EQ(fs::status(path).permissions(), fs::perms(0660));
    EXPECT_THAT(Listener::bind("unix://" + path, "daemon.listen").error().message,
                HasSubstr("daemon.listen: cannot listen on 'unix://" + path + "': a live daemon has it"));
    EXPECT_TRUE(fs::exists(path));
    const Listener moved = std::move(listener);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

/// Takes what comes, up to a number; from its thread.
struct Taker {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Descriptor> taken;
  std::size_t most = 0;

  bool has_room() {
    const std::lock_guard guard(mutex);
    return taken.size() < most;
  }
  void take(Descriptor connection) {
    const std::lock_guard guard(mutex);
    taken.push_back(std::move(connection));
    changed.notify_all();
  }
  void wait_for(std::size_t count) {
    std::unique_lock guard(mutex);
    changed.wait(guard, [&] { return taken.size() >= count; });
  }
};

TEST(AcceptorTest, ConnectionsWaitForRoom) {
  Listener full = Listener::bind("127.0.0.1:0", "full").value();
  Listener other = Listener::bind("127.0.0.1:0", "other").value();
  ASSERT_TRUE(full.listen() && other.listen());
  Taker crowded;
  Taker empty;
  crowded.most = 3;
  empty.most = 100;
  std::mutex mutex;
  std::vector<std::string> told;
  auto acceptor = Acceptor::start({{.listener = &full,
                                    .has_room = [&] { return crowded.has_room(); },
                                    .take = [&](Descriptor fd) { crowded.take(std::move(fd)); }},
                                   {.listener = &other,
                                    .has_room = [&] { return empty.has_room(); },
                                    .take = [&](Descriptor fd) { empty.take(std::move(fd)); }}},
                                  [&](const std::string& text) {
                                    const std::lock_guard guard(mutex);
                                    told.push_back(text);
                                  })
                      .value();
  std::vector<Descriptor> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(connect_to(full.port()));
  crowded.wait_for(3);
  // The other address goes on, and there is room again later.
  clients.push_back(connect_to(other.port()));
  empty.wait_for(1);
  {
    const std::lock_guard guard(crowded.mutex);
    EXPECT_EQ(crowded.taken.size(), 3U);
    crowded.most = 5;
  }
  crowded.wait_for(5);
  acceptor.reset();
  EXPECT_THAT(told, ::testing::ElementsAre(HasSubstr("'" + full.address() + "' wait for room")));
}

TEST(AcceptorTest, LivesThroughTheEndOfDescriptors) {
  Listener listener = Listener::bind("127.0.0.1:0", "x").value();
  ASSERT_TRUE(listener.listen());
  Taker taker;
  taker.most = 100;
  std::promise<std::string> told;
  const auto acceptor = Acceptor::start({{.listener = &listener,
                                          .has_room = [] { return true; },
                                          .take = [&](Descriptor fd) { taker.take(std::move(fd)); }}},
                                        [&](const std::string& text) { told.set_value(text); })
                            .value();
  std::vector<Descriptor> clients;
  clients.push_back(connect_to(listener.port()));
  taker.wait_for(1);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  Descriptor last(::dup(clients.front().get()));  // for the client that comes now
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(last.get()) + 1;
  EXPECT_FALSE(has_descriptor_below(last.get()));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  last = Descriptor();
  clients.push_back(connect_to(listener.port()));
  EXPECT_THAT(told.get_future().get(), HasSubstr("Too many open files"));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  taker.wait_for(2);
}

TEST(ConnectionBoundsTest, LeaveRoom) {
  const ConnectionBounds bounds = connection_bounds();
  EXPECT_GT(bounds.side_port, 0);
  EXPECT_GT(bounds.remote, 0);
  EXPECT_LT(bounds.remote, bounds.local);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_LT(static_cast<rlim_t>(bounds.local) + static_cast<rlim_t>(bounds.side_port), limit.rlim_cur);
}

TEST_F(SocketGuardTest, TokensAndCertificates) {
  std::ofstream(root_ + "/token") << "secret \nsecond line\n";
  EXPECT_EQ(read_token(root_ + "/token").value(), "secret");
  std::ofstream(root_ + "/empty") << "\n";
  EXPECT_FALSE(read_token(root_ + "/empty"));
  EXPECT_EQ(read_token(root_ + "/none").error().code, ErrorCode::kUsage);
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abd", "abc"));
  EXPECT_FALSE(same_secret("ab", "abc"));
  EXPECT_FALSE(same_secret("", "abc"));

  const auto broken = TlsIdentity::open({root_ + "/token", root_ + "/token", ""});
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, ErrorCode::kUsage);
  EXPECT_THAT(broken.error().message, HasSubstr("daemon.tls_cert"));
}

TEST_F(SocketGuardTest, AMemoryFileChangesAsAWhole) {
  MemoryFile file;
  ASSERT_TRUE(file.replace("first"));
  const std::string path = file.path();
  std::ifstream reader(path);
  const auto first_time = fs::last_write_time(path);
  ASSERT_TRUE(file.replace("2nd"));
  EXPECT_EQ(file.path(), path);
  EXPECT_NE(fs::last_write_time(path), first_time);
  const auto rest = [](std::istream& in) { return std::string(std::istreambuf_iterator<char>(in), {}); };
  EXPECT_EQ(rest(reader), "first");  // who began before has what was there
  std::ifstream again(path);
  EXPECT_EQ(rest(again), "2nd");
}

}  // namespace
}  // namespace cuzk::server
