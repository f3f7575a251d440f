import { type Filters, hasLabels } from '../server/filters.ts'
import { newId } from '../server/ids.ts'
import type { Moment } from '../server/moment.ts'
import { conflict, missing } from '../server/refusal.ts'

export type ThingSpec = {
  readonly Name: string
  readonly Labels?: Readonly<Record<string, string>>
  readonly Data?: string
}

export type Thing = { readonly ID: string; readonly CreatedAt: string; readonly Spec: ThingSpec }

/** The configs or the secrets of a Swarm. */
export type Things = {
  list(filters: Filters): readonly Thing[]
  get(idOrName: string): Thing
  create(spec: ThingSpec): Thing
  remove(idOrName: string): void
}

/** Keeps what has one name each. Of a secret, nobody is told the content. */
export function keptThings(kind: 'config' | 'secret', now: () => Moment): Things {
  const things = new Map<string, Thing>()
  const get = (idOrName: string) => {
    const thing = things.get(idOrName) ?? [...things.values()].find(({ Spec }) => Spec.Name === idOrName)
    if (thing === undefined) throw missing(`${kind} ${idOrName} not found`)
    return thing
  }
  return {
    list: filters => [...things.values()].filter(({ Spec }) => hasLabels(Spec.Labels ?? {}, filters)),
    get,
    create(given) {
      if ([...things.values()].some(({ Spec }) => Spec.Name === given.Name))
        throw conflict(
          `rpc error: code = AlreadyExists desc = name conflicts with an existing object: ${kind} ${given.Name} already exists`,
        )
      const { Data: _, ...told } = given
      const thing = {
        ...{ ID: newId().slice(0, 25), CreatedAt: now().text },
        Spec: kind === 'secret' ? told : given,
      }
      things.set(thing.ID, thing)
      return thing
    },
    remove: idOrName => void things.delete(get(idOrName).ID),
  }
}
