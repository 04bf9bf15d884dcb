// SPDX-License-Identifier: Apache-2.0

/**
 * Checkpoints and restarts: what a program uses. Everything begins with {@link
 * org.cairn.Checkpointer}.
 *
 * <p>Packages with types of the API are for all, and so are those that a kind of tier is written
 * with; {@code docs/api.md} lists both, and a test compares. The others are for Cairn's own
 * modules, and change without notice.
 *
 * @uses org.cairn.device.DeviceProvider a kind of device, of another module
 * @uses org.cairn.tier.TierType a kind of tier, of this module or of others
 * @provides org.cairn.tier.TierType the kinds of tiers that come with Cairn
 */
// "module": those that packages are exported to are built later. "requires-automatic":
// aircompressor is called after its file.
@SuppressWarnings({"module", "requires-automatic"})
module org.cairn.core {
  requires transitive org.cairn.doors;
  requires jdk.jfr;
  requires org.slf4j;
  // Only its native libraries are used.
  requires aircompressor.v3;
  // Annotations for compilers.
  requires static org.jspecify;

  exports org.cairn;
  // For who writes a kind of tier.
  exports org.cairn.container;
  // For who knows a kind of device.
  exports org.cairn.device;
  exports org.cairn.division;
  exports org.cairn.record;
  exports org.cairn.tier;
  exports org.cairn.tier.transfer;
  exports org.cairn.version;
  exports org.cairn.checkpoint to
      org.cairn.cli,
      org.cairn.plan;
  exports org.cairn.erasure to
      org.cairn.bench;
  exports org.cairn.event to
      org.cairn.cli,
      org.cairn.plan;
  exports org.cairn.frame to
      org.cairn.bench,
      org.cairn.cli,
      org.cairn.pack;
  exports org.cairn.hash to
      org.cairn.bench,
      org.cairn.cli,
      org.cairn.gpu,
      org.cairn.pack,
      org.cairn.plan;
  exports org.cairn.job to
      org.cairn.cli,
      org.cairn.mesh;
  exports org.cairn.tier.elsewhere to
      org.cairn.cli;
  exports org.cairn.tier.erasure to
      org.cairn.cli;
  exports org.cairn.tier.shared to
      org.cairn.cli,
      org.cairn.pack;
  exports org.cairn.transform to
      org.cairn.bench,
      org.cairn.pack;
  exports org.cairn.track to
      org.cairn.bench,
      org.cairn.cli;
  exports org.cairn.work to
      org.cairn.bench,
      org.cairn.cli,
      org.cairn.pack;

  uses org.cairn.device.DeviceProvider;
  uses org.cairn.tier.TierType;

  provides org.cairn.tier.TierType with
      org.cairn.tier.local.LocalType,
      org.cairn.tier.partner.PartnerType,
      org.cairn.tier.erasure.ErasureType,
      org.cairn.tier.shared.SharedType;
}
