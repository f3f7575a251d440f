import type { Certificate } from './ingress-settings.ts'

/** Whether a host stands for all names with one more label, as `*.example.com` does. */
export function isWild(host: string): boolean {
  return host.startsWith('*.')
}

/** Returns the host with a star that stands for this one, too; none: it has one label only. */
function starOver(host: string): readonly string[] {
  return host.includes('.') ? [`*${host.slice(host.indexOf('.'))}`] : []
}

/** Returns whether one of the certificates names a host that this one, which has a star, stands for. */
export function namesBelow(certificates: readonly Pick<Certificate, 'names'>[]): (star: string) => boolean {
  const stars = new Set(certificates.flatMap(({ names }) => names.flatMap(starOver)))
  return star => stars.has(star)
}

/** Returns which of the certificates names a host, or all hosts that a `*.` stands for: the first one of them. */
export function covering<One extends Pick<Certificate, 'names'>>(
  certificates: readonly One[],
): (host: string) => One | undefined {
  const placeOf = new Map<string, number>()
  for (const [place, { names }] of certificates.entries())
    for (const name of names) if (!placeOf.has(name)) placeOf.set(name, place)
  return host => {
    const [place] = [host, ...starOver(host)]
      .flatMap(name => placeOf.get(name) ?? [])
      .sort((one, other) => one - other)
    return place === undefined ? undefined : certificates[place]
  }
}
