#include "data/base/sha256.hpp"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "core/base/error.hpp"

namespace lacuna {
namespace {

void check_evp(int code) {
  if (code != 1) throw EnvironmentError("the cryptographic library cannot compute SHA-256");
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  check_evp(context_ != nullptr ? 1 : 0);
  check_evp(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr));
}

void Sha256::update(const void* data, std::size_t bytes) {
  if (bytes > 0) check_evp(EVP_DigestUpdate(context_.get(), data, bytes));
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  check_evp(EVP_DigestFinal_ex(context_.get(), digest.data(), &size));
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string file_sha256(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw EnvironmentError(fmt::format("{}: cannot be opened: {}", file.string(), std::strerror(errno)));
  Sha256 digest;
  std::vector<char> buffer(std::size_t{1} << 20);
  while (true) {
    const ssize_t count = ::read(fd, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      ::close(fd);
      throw EnvironmentError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(error)));
    }
    if (count == 0) break;
    digest.update(buffer.data(), static_cast<std::size_t>(count));
  }
  ::close(fd);
  return digest.hex();
}

std::string sha256_of_digests(std::span<const std::string> digests) {
  if (digests.size() == 1) return digests.front();
  Sha256 all;
  for (const std::string& digest : digests) {
    const std::string line = digest + "\n";
    all.update(line.data(), line.size());
  }
  return all.hex();
}

}  // namespace lacuna
