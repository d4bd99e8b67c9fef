// SHA-256 (FIPS 180-4), fed piece by piece.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace lacuna {

class Sha256 {
 public:
  /// Throws EnvironmentError when the cryptographic library offers no SHA-256.
  Sha256();
  void update(const void* data, std::size_t bytes);
  /// The digest of everything given so far, 64 lower-case hex digits. Once; nothing may follow.
  std::string hex();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

/// The digest of a file's bytes, as sha256sum prints it. Throws EnvironmentError when it cannot be opened or read.
std::string file_sha256(const std::filesystem::path& file);
/// Of one digest: itself. Of several: the digest of them, one hex line each.
std::string sha256_of_digests(std::span<const std::string> digests);

}  // namespace lacuna
