import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'

/** Parses a domain as users type it, with a port if it is not the default one. */
export function parseDomain(text: string): Parsed<string> {
  const [, name = '', port] = /^([^:]*)(?::(\d{1,5}))?$/.exec(text) ?? []
  return isDomainName(name) && Number(port ?? 80) >= 1 && Number(port ?? 80) <= 65_535
    ? parsed(text)
    : malformed(`"${text}" is no domain such as shop.example.com or shop.example.com:8080`)
}

/** Whether a text is an ASCII name that a name server could know. */
export function isDomainName(text: string): boolean {
  return text.length <= 253 && text.split('.').every(label => labelPattern.test(label))
}

const labelPattern = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i
