import type { Certificate } from './ingress-settings.ts'

/** Whether a host stands for all names with one more label, as `*.example.com` does. */
export function isWild(host: string): boolean {
  return host.startsWith('*.')
}

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
