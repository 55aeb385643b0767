#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "federation/small_federation.h"
#include "gtvmin/pki/certificate.h"
#include "gtvmin/pki/credentials.h"
#include "gtvmin/pki/digest.h"
#include "gtvmin/pki/issue.h"

namespace gtvmin {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr UnixSeconds kDay = 86400;
constexpr UnixSeconds kNow = 1'800'000'000;  // 2027-01-15
constexpr SiteId kNorth = 0;
constexpr SiteId kMiddle = 1;

TEST(Digest, IsSha256) {
  // FIPS 180-2, appendix B.1.
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

class Pki : public testing::Test {
 protected:
  static Federation federation(const std::string& name = "trial") {
    Federation federation = *parse_federation("f.toml", kSmallFederation);
    federation.name = name;
    return federation;
  }
  static Signer authority(const std::string& name = "trial", Validity validity = {kNow - kDay, kNow + 1000 * kDay}) {
    const KeyPair made = *make_authority(name, validity);
    return {{"ca.crt", made.certificate}, {"ca.key", made.key}};
  }
  static Credentials credentials(const Signer& signer, SiteId site, Validity validity = {kNow, kNow + 100 * kDay}) {
    const KeyAndRequest made = *make_request(federation(), site);
    const auto granted = sign_request(federation(), signer, {"r.csr", made.request}, validity);
    EXPECT_TRUE(granted.ok()) << granted.error().messages.front();
    return {signer.certificate, {"own.crt", granted->certificate}, {"own.key", made.key}};
  }
  static std::vector<std::string> problems(const Credentials& c, SiteId site, UnixSeconds now = kNow + kDay) {
    const Status checked = check_credentials(c, federation(), site, now);
    return checked ? std::vector<std::string>{} : checked.error().messages;
  }
  static std::string refusal(const Signer& signer, const std::string& request,
                             Validity validity = {kNow, kNow + 100 * kDay}) {
    const auto granted = sign_request(federation(), signer, {"r.csr", request}, validity);
    return granted ? "signed" : granted.error().messages.front();
  }
};

TEST_F(Pki, TheDigestOfAFederationChangesWithItsContent) {
  EXPECT_EQ(federation_digest(federation()), sha256_hex(kSmallFederation));
  EXPECT_NE(federation_digest(federation()), federation_digest(federation("other")));
}

TEST_F(Pki, ASignedCertificateSaysWhoseItIs) {
  const Signer signer = authority();
  const Credentials own = credentials(signer, kMiddle);
  const auto facts = read_certificate(own.certificate);
  ASSERT_TRUE(facts.ok()) << facts.error().messages.front();
  EXPECT_FALSE(facts->authority);
  EXPECT_EQ(facts->site, "middle");
  EXPECT_EQ(facts->federation, "trial");
  EXPECT_EQ(facts->validity.from, kNow);
  EXPECT_EQ(facts->validity.until, kNow + 100 * kDay);
  EXPECT_TRUE(*is_signed_by(own.certificate, signer.certificate));
  EXPECT_FALSE(*is_signed_by(own.certificate, authority().certificate));
  EXPECT_TRUE(read_certificate(signer.certificate)->authority);
  EXPECT_THAT(problems(own, kMiddle), ElementsAre());
}

TEST_F(Pki, EveryCertificateHasASerialNumberOfItsOwn) {
  const Signer signer = authority();
  const KeyAndRequest made = *make_request(federation(), kNorth);
  const Validity validity{kNow, kNow + kDay};
  const auto first = sign_request(federation(), signer, {"r.csr", made.request}, validity);
  const auto second = sign_request(federation(), signer, {"r.csr", made.request}, validity);
  EXPECT_NE(first->certificate, second->certificate);
}

TEST_F(Pki, CredentialsThatOthersWouldRefuseAreRefusedWithTheReason) {
  const Signer signer = authority();
  const Credentials own = credentials(signer, kNorth);
  EXPECT_THAT(problems(own, kMiddle), ElementsAre("own.crt: is for site \"north\", not for \"middle\""));
  EXPECT_THAT(problems(own, kNorth, kNow + 101 * kDay),
              ElementsAre("own.crt: has expired on " + date_text(kNow + 100 * kDay)));
  EXPECT_THAT(problems(own, kNorth, kNow - 60),
              ElementsAre(HasSubstr("own.crt: is valid from 2027-01-15 08:00 UTC on")));

  Credentials other_authority = own;
  other_authority.authority = authority().certificate;
  EXPECT_THAT(problems(other_authority, kNorth),
              ElementsAre("own.crt: was not signed by ca.crt; it is of another authority"));

  Credentials other_federation = own;
  other_federation.authority = authority("else").certificate;
  EXPECT_THAT(problems(other_federation, kNorth),
              ElementsAre("ca.crt: is the authority of federation \"else\", not of \"trial\"",
                          "own.crt: was not signed by ca.crt; it is of another authority"));

  Credentials other_key = own;
  other_key.key.text = credentials(signer, kNorth).key.text;
  EXPECT_THAT(problems(other_key, kNorth), ElementsAre("own.key: is not the key of own.crt"));

  Credentials swapped = own;
  std::swap(swapped.authority.text, swapped.certificate.text);
  EXPECT_THAT(problems(swapped, kNorth), ElementsAre("ca.crt: is the certificate of a site, not of an authority",
                                                     "own.crt: is the certificate of an authority, not of a site",
                                                     "own.crt: was not signed by ca.crt; it is of another authority",
                                                     "own.key: is not the key of own.crt"));

  const Credentials garbage{{"ca.crt", "x"}, {"own.crt", ""}, {"own.key", "-----BEGIN PRIVATE KEY-----\nAA==\n"}};
  EXPECT_THAT(problems(garbage, kNorth),
              ElementsAre("ca.crt: is not a certificate in PEM form", "own.crt: is not a certificate in PEM form",
                          "own.key: is not a secret key in PEM form"));

  Credentials doubled = own;
  doubled.authority.text += own.certificate.text;
  EXPECT_THAT(problems(doubled, kNorth), ElementsAre("ca.crt: holds more than a certificate"));
}

TEST_F(Pki, TheDatesOfTheAuthorityCountToo) {
  const Signer brief = authority("trial", {kNow - kDay, kNow + 100 * kDay});
  const Credentials own = credentials(brief, kNorth);
  EXPECT_THAT(problems(own, kNorth, kNow + 101 * kDay),
              ElementsAre(HasSubstr("ca.crt: has expired on"), HasSubstr("own.crt: has expired on")));
}

TEST_F(Pki, OnlyASiteOfTheFederationIsSigned) {
  const Signer signer = authority();
  const std::string request = make_request(federation(), kNorth)->request;
  EXPECT_EQ(refusal(signer, request), "signed");
  EXPECT_EQ(refusal(signer, make_request(federation("else"), kNorth)->request),
            "r.csr: requests the DNS name \"north.else\", but the DNS name of site \"north\" in this federation is "
            "\"north.trial\"");
  Federation renamed = federation();
  renamed.sites[0].name = "west";
  EXPECT_EQ(refusal(signer, make_request(renamed, kNorth)->request),
            "r.csr: requests \"west\", which is not a site of \"trial\"");
  EXPECT_EQ(refusal(signer, "nonsense"), "r.csr: is not a signing request in PEM form");
}

TEST_F(Pki, OnlyTheRightAuthoritySigns) {
  const std::string request = make_request(federation(), kNorth)->request;
  Signer mixed = authority();
  mixed.key = authority().key;
  EXPECT_EQ(refusal(mixed, request), "ca.key: is not the key of ca.crt");
  EXPECT_EQ(refusal(authority("else"), request), "ca.crt: is the authority of \"else\", not of \"trial\"");
  const Signer signer = authority();
  const Credentials site = credentials(signer, kMiddle);
  EXPECT_EQ(refusal({site.certificate, site.key}, request),
            "own.crt: is the certificate of a site, not of an authority");
  EXPECT_THAT(refusal(signer, request, {kNow, kNow + 1001 * kDay}), HasSubstr("before that of the site would"));
}

TEST_F(Pki, AnyChangedByteOfARequestIsNoticed) {
  const Signer signer = authority();
  const std::string request = make_request(federation(), kNorth)->request;
  const std::size_t first = request.find('\n') + 1;
  const std::size_t last = request.find("\n-----END") - 4;  // the last letters may hold bits that mean nothing
  int tried = 0;
  for (std::size_t at = first; at < last; at += 7) {
    if (request[at] == '\n' || request[at] == '=') continue;
    std::string changed = request;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    EXPECT_NE(refusal(signer, changed), "signed") << "byte " << at;
    ++tried;
  }
  EXPECT_GT(tried, 40);
}

}  // namespace
}  // namespace gtvmin
