/**
 * Returns what is wrong with the armoured OpenPGP keys in a text, in words; undefined if every block can be decoded and
 * begins with a public key. It finds blocks that were cut or changed on the way. Whether gpg accepts the keys is not
 * known before it reads them.
 */
export function armourFault(text: string): string | undefined {
  const blocks = text.split(/^-----BEGIN PGP PUBLIC KEY BLOCK-----[ \t]*\r?$/m).slice(1)
  if (blocks.length === 0) return 'has an OpenPGP key without a line of its own at the beginning'
  return blocks.map(blockFault).find(fault => fault !== undefined)
}

function blockFault(block: string): string | undefined {
  const end = block.search(/^-----END PGP PUBLIC KEY BLOCK-----[ \t]*\r?$/m)
  if (end === -1) return 'has an OpenPGP key whose end is missing'
  const lines = block
    .slice(0, end)
    .split('\n')
    .slice(1)
    .map(line => line.trim())
  // Headers such as "Comment: …" end with an empty line.
  const body = lines.slice(lines.indexOf('') + 1).filter(line => line !== '')
  const checksum = body.at(-1)?.startsWith('=') ? body.pop()?.slice(1) : undefined
  const encoded = body.join('')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded) || encoded.length % 4 !== 0)
    return 'has an OpenPGP key that is not encoded as it should be'
  const bytes = Buffer.from(encoded, 'base64')
  if (checksum !== undefined && checksum !== checksumOf(bytes))
    return 'has an OpenPGP key that does not match its checksum'
  const packets = packetsIn(bytes)
  if (packets === undefined) return 'has an OpenPGP key that is cut'
  return packets[0] === publicKey ? undefined : 'has an OpenPGP block that holds no public key'
}

/** The checksum of RFC 4880, section 6.1. */
function checksumOf(bytes: Buffer): string {
  let crc = 0xb7_04_ce
  for (const byte of bytes) {
    crc ^= byte << 16
    for (let bit = 0; bit < 8; bit += 1) {
      crc <<= 1
      if ((crc & 0x1_00_00_00) !== 0) crc ^= 0x1_86_4c_fb
    }
  }
  return Buffer.from([(crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff]).toString('base64')
}

/** The kind of packet with which a key begins. */
const publicKey = 6

/** Returns the kinds of the packets, which fill the bytes exactly; undefined if they do not. */
function packetsIn(bytes: Buffer): readonly number[] | undefined {
  const kinds: number[] = []
  for (let at = 0; at < bytes.length; ) {
    const packet = packetAt(bytes, at)
    if (packet === undefined || packet.end > bytes.length) return undefined
    kinds.push(packet.kind)
    at = packet.end
  }
  return kinds
}

type Packet = { readonly kind: number; readonly end: number }

/** Reads the header of a packet in the older or the newer form. Packets of keys always say their length. */
function packetAt(bytes: Buffer, at: number): Packet | undefined {
  const [tag = 0, first, second] = bytes.subarray(at)
  const sized = (kind: number, from: number, width: number): Packet | undefined =>
    bytes.length < from + width ? undefined : { kind, end: from + width + bytes.readUIntBE(from, width) }
  if (tag < 0x80 || first === undefined) return undefined
  if (tag < 0xc0) {
    const width = [1, 2, 4][tag & 0x03]
    return width === undefined ? undefined : sized((tag >> 2) & 0x0f, at + 1, width)
  }
  const kind = tag & 0x3f
  if (first < 192) return { kind, end: at + 2 + first }
  if (first === 255) return sized(kind, at + 2, 4)
  if (first >= 224 || second === undefined) return undefined
  return { kind, end: at + 3 + ((first - 192) << 8) + second + 192 }
}
