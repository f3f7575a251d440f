import type { Problem } from '../errors.ts'
import type { Certificate, IngressSettings } from '../state/application/ingress/ingress-settings.ts'

/** The operator's settings, or the problem of a file that they name. With a problem, the desired ingress is unknown. */
export type ReadSettings =
  | { readonly state: 'usable'; readonly settings: IngressSettings }
  | { readonly state: 'unusable'; readonly problem: Problem }

/** Returns which of the certificates names a host, or all hosts that a `*.` stands for: the first one of them. */
export function covering<One extends Pick<Certificate, 'names'>>(
  certificates: readonly One[],
): (host: string) => One | undefined {
  const placeOf = new Map<string, number>()
  for (const [place, { names }] of certificates.entries())
    for (const name of names) if (!placeOf.has(name)) placeOf.set(name, place)
  return host => {
    const wild = host.includes('.') ? [`*${host.slice(host.indexOf('.'))}`] : []
    const [place] = [host, ...wild].flatMap(name => placeOf.get(name) ?? []).sort((one, other) => one - other)
    return place === undefined ? undefined : certificates[place]
  }
}
