#include "cuzk/base/gzip.h"

#include <algorithm>
#include <string>

#if CUZK_HAVE_ZLIB
#include <zlib.h>
#endif

namespace cuzk {

#if CUZK_HAVE_ZLIB
namespace {

constexpr int kGzipWindow = 15 + 16;                  // the largest window, gzip framing
constexpr std::size_t kChunk = std::size_t{1} << 30;  // zlib counts in 32 bits

class Inflater {
 public:
  Inflater() { ok_ = inflateInit2(&stream_, kGzipWindow) == Z_OK; }
  ~Inflater() {
    if (ok_) inflateEnd(&stream_);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  [[nodiscard]] bool ok() const { return ok_; }
  z_stream* operator->() { return &stream_; }
  z_stream* get() { return &stream_; }

 private:
  z_stream stream_{};
  bool ok_ = false;
};

}  // namespace

Result<std::vector<std::uint8_t>> gunzip(ByteSpan compressed, std::size_t max_bytes) {
  Inflater z;
  if (!z.ok()) return io_error("gzip: no memory for the decompressor");
  std::vector<std::uint8_t> out;
  std::size_t in_at = 0;
  std::size_t out_at = 0;
  bool inside_member = true;
  while (inside_member || in_at < compressed.size()) {
    if (!inside_member) {
      if (!is_gzip(compressed.subspan(in_at)) || inflateReset(z.get()) != Z_OK)
        return bad_input("gzip: bytes after the end of the data, at offset " + std::to_string(in_at));
      inside_member = true;
    }
    if (out_at == out.size()) {
      // One byte more than allowed, so that exactly max_bytes still ends well.
      const std::size_t grown = std::max<std::size_t>(out.size() * 2, compressed.size() * 4 + 4096);
      out.resize(std::min(grown, max_bytes + 1));
    }
    const std::size_t in_chunk = std::min(kChunk, compressed.size() - in_at);
    const std::size_t out_chunk = std::min(kChunk, out.size() - out_at);
    z->next_in = const_cast<Bytef*>(compressed.data() + in_at);
    z->avail_in = static_cast<uInt>(in_chunk);
    z->next_out = out.data() + out_at;
    z->avail_out = static_cast<uInt>(out_chunk);
    const int status = inflate(z.get(), Z_NO_FLUSH);
    in_at += in_chunk - z->avail_in;
    out_at += out_chunk - z->avail_out;
    if (out_at > max_bytes)
      return bad_input("gzip: more than " + std::to_string(max_bytes) + " bytes when decompressed");
    if (status == Z_STREAM_END) {
      inside_member = false;
    } else if (status == Z_MEM_ERROR) {
      return io_error("gzip: no memory for the decompressor");
    } else if (status == Z_BUF_ERROR || (status == Z_OK && in_at == compressed.size() && z->avail_out > 0)) {
      return bad_input("gzip: the file ends at offset " + std::to_string(in_at) +
                       " inside the compressed data");
    } else if (status != Z_OK) {
      return bad_input("gzip: invalid data at offset " + std::to_string(in_at) + " (" +
                       (z->msg != nullptr ? z->msg : "no detail") + ")");
    }
  }
  out.resize(out_at);
  return out;
}

Result<std::vector<std::uint8_t>> gzip(ByteSpan bytes) {
  if (bytes.size() >= kChunk) return bad_input("gzip: too long for one member");
  z_stream z{};
  if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, kGzipWindow, 9, Z_DEFAULT_STRATEGY) != Z_OK)
    return io_error("gzip: no memory for the compressor");
  std::vector<std::uint8_t> out(deflateBound(&z, static_cast<uLong>(bytes.size())));
  z.next_in = const_cast<Bytef*>(bytes.data());
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = out.data();
  z.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  if (status != Z_STREAM_END) return Error{ErrorCode::kInternal, "gzip: the compressor stopped early"};
  return out;
}

#else

Result<std::vector<std::uint8_t>> gunzip(ByteSpan, std::size_t) {
  return Error{ErrorCode::kUnsupported,
               "gzip: this program was built without zlib; decompress the file first"};
}
Result<std::vector<std::uint8_t>> gzip(ByteSpan) {
  return Error{ErrorCode::kUnsupported, "gzip: this program was built without zlib"};
}

#endif

}  // namespace cuzk
