import { domainToASCII } from 'node:url'
import type { Parsed } from '../../state/parsed.ts'
import { malformed, parsed } from '../../state/parsed.ts'
import { isDomainName } from './domain.ts'

/**
 * Parses a host of requests, and returns its one form: as browsers send it, in lower case, in ASCII and without a dot
 * at its end. `Bücher.example.` becomes `xn--bcher-kva.example`. A `*.` at the start stands for one label.
 */
export function parseRequestHost(text: string): Parsed<string> {
  const [, wild = '', name = ''] = /^(\*\.)?(.*)$/s.exec(text) ?? []
  if (name.startsWith('[')) return malformed(`"${text}" is an address; a route needs the name of a host`)
  if (name.includes(':'))
    return malformed(`"${text}" has a port; the ports of the ingress stand in tallyman.yaml`)
  const host = strange.test(name) ? '' : domainToASCII(name.replace(/\.$/, ''))
  return isDomainName(host) ? parsed(`${wild}${host}`) : malformed(`"${text}" is no domain`)
}

/** ASCII characters that occur in no name. Some of them would be read as the end of a name, or decoded. */
const strange = /[\x00-\x2c/:-@[-^`{-\x7f]/
