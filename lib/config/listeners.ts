import { pointerTo, shownPointer } from '../document/document.ts'
import { isAddress } from '../spec/grammar/host.ts'
import { addressesMeet, addressOf } from '../state/application/claim.ts'
import { asDirectory } from '../state/identity.ts'
import type { Listener, Listeners } from '../state/listeners.ts'
import type { Spellings } from './spellings.ts'

/** The settings of one environment. What they leave out is as for all environments. */
export type ListenersWritten = { readonly [Name in keyof Listeners]?: Partial<Listener> | undefined }

/** Reports what is wrong with the value at a JSON pointer. */
export type NoteFault = (pointer: string, reason: string) => void

/** Returns where the ingress of an environment listens. Settings for its directory go before those for its name. */
export function listenersOf(
  ingress: Listeners & { readonly environments: Readonly<Record<string, Listeners>> },
  spellings: Spellings,
): Listeners {
  const { http, https, health } = ingress
  const written = Object.entries(ingress.environments)
  const own = spellings.flatMap(spelling => written.filter(([key]) => asDirectory(key) === spelling))
  return own[0]?.[1] ?? { http, https, ...(health === undefined ? {} : { health }) }
}

/** Returns the listeners for all environments with the settings of one. A `health` without a port is none. */
export function overlaid({ http, https, health }: Listeners, own: ListenersWritten): Listeners {
  const ownHealth = { addresses: [], ...health, ...own.health }
  return {
    http: { ...http, ...own.http },
    https: { ...https, ...own.https },
    ...(ownHealth.port === undefined ? {} : { health: { ...ownHealth, port: ownHealth.port } }),
  }
}

/** Returns the first port that two ingresses cannot both have on one host; undefined if they do not conflict. */
export function meetingPort(one: Listeners, other: Listeners): number | undefined {
  const others: readonly Listener[] = Object.values(other)
  return Object.values<Listener>(one).find(listener => others.some(theirs => overlap(listener, theirs)))?.port
}

/**
 * Reports two environments of one host whose ingresses cannot both listen there. Only environments with settings of
 * their own are compared: whether the others have an ingress at all depends on their manifests.
 */
export function faultMeeting(
  environments: Readonly<Record<string, Listeners>>,
  shareSite: (one: string, other: string) => string | undefined,
  fault: NoteFault,
): void {
  const all = Object.entries(environments)
  all.forEach(([name, listeners], index) => {
    for (const [other, theirs] of all.slice(0, index)) {
      const [port, site] = [meetingPort(listeners, theirs), shareSite(name, other)]
      if (port !== undefined && site !== undefined)
        fault(
          pointerTo('/ingress/environments', name),
          `listens on port ${port} of the site ${site}, where the ingress of ${other} does`,
        )
    }
  })
}

/** Reports listeners of one ingress that would use the same port on an address. */
export function faultListeners(listeners: Listeners, pointer: string, fault: NoteFault): void {
  const seen: (readonly [string, Listener])[] = []
  for (const [name, listener] of Object.entries<Listener>(listeners)) {
    const other = seen.find(([, earlier]) => overlap(earlier, listener))
    if (other !== undefined)
      fault(
        `${pointer}/${name}`,
        `is where ${shownPointer(`${pointer}/${other[0]}`)} is: port ${listener.port}`,
      )
    seen.push([name, listener])
  }
}

/** Reports addresses that a host cannot have. */
export function faultAddresses(written: ListenersWritten, pointer: string, fault: NoteFault): void {
  for (const [name, listener] of Object.entries<Partial<Listener> | undefined>(written))
    listener?.addresses?.forEach((address, index) => {
      if (!isAddress(address))
        fault(`${pointer}/${name}/addresses/${index}`, `"${address}" is no address of a host`)
    })
}

function overlap(one: Listener, other: Listener): boolean {
  const [mine, theirs] = [addressesOf(one), addressesOf(other)]
  return one.port === other.port && mine.some(address => theirs.some(each => addressesMeet(address, each)))
}

function addressesOf({ addresses }: Listener): readonly (string | undefined)[] {
  return addresses.length === 0 ? [undefined] : addresses.map(addressOf)
}
