import { isRecord } from '../object.ts'
import { malformed, type Parsed, parsed } from '../state/parsed.ts'
import { type Pattern, parsePattern } from '../state/pattern.ts'

/** What a SOPS document says about itself below `sops`. The MAC covers none of it. */
export type Metadata = {
  /** The data key, encrypted for each age recipient. */
  readonly recipients: readonly AgeRecipient[]
  readonly mac: string
  /** As it is written, because the MAC is encrypted with it. */
  readonly lastModified: string
  readonly macOnlyEncrypted: boolean
  readonly rule: Rule
}

export type AgeRecipient = { readonly recipient: string; readonly enc: string }

/**
 * Which values are encrypted: by the keys on the way to them, or by comments, which only the values themselves show.
 */
export type Rule =
  | { readonly kind: 'all-but' | 'only'; readonly matches: (key: string) => boolean }
  | { readonly kind: 'as-written' }

/** Reads what stands below `sops`. The reason says why such a document cannot be decrypted here. */
export function readMetadata(sops: unknown): Parsed<Metadata> {
  if (!isRecord(sops)) return malformed('is not encrypted: it has no metadata of SOPS')
  const recipients = readRecipients(sops)
  if (!recipients.ok) return recipients
  const rule = readRule(sops)
  if (!rule.ok) return rule
  const mac = sops['mac']
  const lastModified = sops['lastmodified']
  if (typeof mac !== 'string' || mac === '') return malformed('has no MAC')
  if (typeof lastModified !== 'string') return malformed('has no "lastmodified", which its MAC needs')
  return parsed({
    recipients: recipients.value,
    mac,
    lastModified,
    macOnlyEncrypted: sops['mac_only_encrypted'] === true,
    rule: rule.value,
  })
}

/** The recipients are at the top, or in the only key group of the document. */
function readRecipients(sops: Fields): Parsed<readonly AgeRecipient[]> {
  const groups = listOf(sops['key_groups']).filter(isRecord)
  const [group] = groups
  const kinds = kindsIn(sops)
  if (kinds.length === 0 && groups.length > 1)
    return malformed(`shares its data key among ${groups.length} key groups (Shamir), which is not supported`)
  const holder = kinds.length === 0 && group !== undefined ? group : sops
  const recipients = listOf(holder['age']).filter(isRecipient)
  if (recipients.length > mostRecipients) return malformed(`has more than ${mostRecipients} age recipients`)
  if (recipients.length > 0) return parsed(recipients)
  const others = kindsIn(holder).filter(kind => kind !== 'age')
  return malformed(
    others.length === 0
      ? 'names no recipients'
      : `is encrypted for ${others.join(', ')} and for no age key; add an age recipient with "sops rotate --add-age"`,
  )
}

const mostRecipients = 100

/** Returns the kinds of recipients in a document: `age`, `pgp`, `kms`, …, including kinds that SOPS may add. */
function kindsIn(holder: Fields): readonly string[] {
  return Object.keys(holder).filter(
    key => key !== 'key_groups' && /^[a-z_]{1,30}$/.test(key) && listOf(holder[key]).length > 0,
  )
}

/**
 * Reads the rule, of which there is at most one. Without one, keys that end with `_unencrypted`, and everything below
 * them, are not encrypted.
 */
function readRule(sops: Fields): Parsed<Rule> {
  const given = Object.keys(rules).filter(key => (sops[key] ?? '') !== '')
  if (given.length > 1) return malformed(`has more than one rule of what is encrypted: ${given.join(', ')}`)
  const [key = 'unencrypted_suffix'] = given
  const text = given.length === 0 ? '_unencrypted' : sops[key]
  if (typeof text !== 'string') return malformed(`${key} is not a text`)
  const rule = rules[key]?.(text) ?? malformed('is no rule')
  return rule.ok ? rule : malformed(`${key} ${rule.reason}`)
}

const rules: Readonly<Record<string, (text: string) => Parsed<Rule>>> = {
  unencrypted_suffix: suffix => parsed({ kind: 'all-but', matches: key => key.endsWith(suffix) }),
  encrypted_suffix: suffix => parsed({ kind: 'only', matches: key => key.endsWith(suffix) }),
  unencrypted_regex: text => byPattern('all-but', parsePattern(text)),
  encrypted_regex: text => byPattern('only', parsePattern(text)),
  unencrypted_comment_regex: () => parsed({ kind: 'as-written' }),
  encrypted_comment_regex: () => parsed({ kind: 'as-written' }),
}

function byPattern(kind: 'all-but' | 'only', pattern: Parsed<Pattern>): Parsed<Rule> {
  return pattern.ok ? parsed({ kind, matches: key => pattern.value.matches(key) }) : pattern
}

type Fields = Readonly<Record<string, unknown>>

function isRecipient(value: unknown): value is AgeRecipient {
  return isRecord(value) && typeof value['recipient'] === 'string' && typeof value['enc'] === 'string'
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
