import type { AgeRecipient } from './sops-metadata.ts'
import { undecryptable } from './undecryptable.ts'

/** Private age keys, `AGE-SECRET-KEY-1…`. They never appear in an error or a log. */
export type Identities = readonly string[]

/**
 * Returns the age keys in the text of a key file as `age-keygen` writes it, with one key on a line, and comments. Fails
 * with `secrets-undecryptable`, which names the line and never shows its content.
 */
export function parseIdentities(where: string, text: string): Identities {
  if (/^(?:age-encryption\.org\/v1|-----BEGIN AGE ENCRYPTED FILE-----)/.test(text))
    throw undecryptable(`${where}: is encrypted with a passphrase itself, and nobody is there to type it`)
  return text.split(/\r?\n/).flatMap((line, index) => {
    const key = line.trim()
    if (key === '' || key.startsWith('#')) return []
    if (!/^AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]+$/.test(key))
      throw undecryptable(`${where}:${index + 1}: is no age key (AGE-SECRET-KEY-1…)`)
    return [key]
  })
}

/**
 * Decrypts the data key of a document, for the first of its age recipients that one of the keys fits. Fails with
 * `secrets-undecryptable`, which names the recipients.
 */
export async function decryptDataKey(
  file: string,
  recipients: readonly AgeRecipient[],
  identities: Identities,
): Promise<Uint8Array> {
  const names = recipients.slice(0, mostNamed).map(({ recipient }) => nameOf(recipient))
  const audience = `${names.join(', ')}${recipients.length > mostNamed ? ', …' : ''}`
  if (identities.length === 0)
    throw undecryptable(`${file}: is encrypted for ${audience}, and no age key is configured`)
  for (const { enc } of recipients) {
    const dataKey = await decrypt(enc, identities)
    if (dataKey?.length === dataKeyLength) return dataKey
  }
  throw undecryptable(`${file}: is encrypted for ${audience}, and none of the configured age keys fits`)
}

const mostNamed = 5
const dataKeyLength = 32

async function decrypt(enc: string, identities: Identities): Promise<Uint8Array | undefined> {
  const { armor, Decrypter } = await import('age-encryption')
  const decrypter = new Decrypter()
  try {
    for (const identity of identities) decrypter.addIdentity(identity)
  } catch {
    throw undecryptable('an age key that is configured is misspelled: its checksum is wrong')
  }
  try {
    return await decrypter.decrypt(armor.decode(enc))
  } catch {
    return undefined
  }
}

/** A recipient is public. A text that does not look like one is not shown. */
function nameOf(recipient: string): string {
  return /^(?:age1[0-9a-z]{10,100}|ssh-(?:ed25519|rsa) [\w+/=]{10,100})/.exec(recipient)?.[0] ?? 'somebody'
}
