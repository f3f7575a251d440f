import { domainToASCII } from 'node:url'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'
import { isDomainName } from './domain.ts'

/**
 * A host of requests in its one form: as browsers send it, in lower case, in ASCII and without a dot at its end.
 * `Bücher.example.` is `xn--bcher-kva.example`; `*.` in front stands for one label.
 */
export function parseRequestHost(text: string): Parsed<string> {
  const [, wild = '', name = ''] = /^(\*\.)?(.*)$/s.exec(text) ?? []
  if (name.includes(':'))
    return malformed(`"${text}" has a port; the ports of the ingress stand in tallyman.yaml`)
  const host = strange.test(name) ? '' : domainToASCII(name.replace(/\.$/, ''))
  return isDomainName(host) ? parsed(`${wild}${host}`) : malformed(`"${text}" is no domain`)
}

/** ASCII that stands in no name. Some of it would be read as the end of one, or decoded. */
const strange = /[\x00-\x2c/:-@[-^`{-\x7f]/
