import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** A domain as users type it, with a port where it is not the usual one. */
export function parseDomain(text: string): Parsed<string> {
  const [, name = '', port] = /^([^:]*)(?::(\d{1,5}))?$/.exec(text) ?? []
  return isDomainName(name) && Number(port ?? 80) >= 1 && Number(port ?? 80) <= 65_535
    ? parsed(text)
    : malformed(`"${text}" is no domain`)
}

/** Whether it is a name in ASCII that a name server could know. */
export function isDomainName(text: string): boolean {
  return text.length <= 253 && text.split('.').every(label => labelPattern.test(label))
}

const labelPattern = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i
