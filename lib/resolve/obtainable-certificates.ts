import type { Obtainable } from '../spec/build/context.ts'
import { covering, isWild, namesBelow } from '../state/application/ingress/covering.ts'
import type { Reach } from './with-ingress.ts'

/**
 * Returns whether a route with `tls: auto` can have a certificate for its host (P33). Public authorities sign a name
 * with a star for whoever changes its zone (RFC 8555, 8.4: DNS-01), and the ingress changes none: it can only have such
 * a certificate from the operator. A private authority may have other rules. While the files of the operator are not
 * read, or cannot be, one of them may name the host. A certificate of the operator for some hosts that the star stands
 * for answers these, whatever route they have: the ingress chooses certificates by the name that is asked for.
 */
export function obtainableBy({ certificates, make }: Reach): (host: string) => Obtainable {
  const read = make?.read.state === 'usable' ? make.read.settings.certificates : undefined
  const own = read && covering(read)
  const isPartlyNamed = namesBelow(read ?? [])
  return host => {
    if (certificates === undefined || !isWild(host)) return 'yes'
    const { hasOwn, hasPrivateAuthority } = certificates
    const isOfOperator = own === undefined ? hasOwn : own(host) !== undefined
    if (isOfOperator) return 'yes'
    if (hasPrivateAuthority) return 'perhaps'
    return isPartlyNamed(host) ? 'partly' : 'no'
  }
}
