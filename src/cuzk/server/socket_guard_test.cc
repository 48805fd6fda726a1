#include "cuzk/server/socket_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cuzk/server/credentials.h"
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
  static int bind_socket(const std::string& path, bool listening) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
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

TEST(Addresses, CanListen) {
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_GE(fd, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  socklen_t size = sizeof address;
  ASSERT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  ASSERT_EQ(::listen(fd, 1), 0);
  const std::string taken = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  const auto refused = can_listen(taken);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kIo);
  EXPECT_THAT(refused.error().message, HasSubstr("'" + taken + "'"));
  ::close(fd);
  EXPECT_TRUE(can_listen(taken));
  EXPECT_TRUE(can_listen("127.0.0.1:0"));
  EXPECT_FALSE(can_listen("192.0.2.1:0"));  // of no machine
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
