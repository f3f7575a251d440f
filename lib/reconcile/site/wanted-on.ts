import { onceFor } from '../../memo/once-for.ts'
import type { Rules } from '../../plan/hold/hold.ts'
import {
  applicationsAnywhere,
  type Blocked,
  type DesiredState,
  variantFor,
} from '../../state/application/desired.ts'
import { ingressName } from '../../state/application/ingress/route.ts'
import { contentsIn } from '../fleet/findings/contents.ts'
import type { SiteTurns } from '../fleet/turns.ts'
import type { Wanted } from '../repository/desired.ts'
import type { DecideOptions } from './decision/compare-and-plan.ts'
import { wantedHere } from './decision/wanted-here.ts'
import type { Found } from './result/pass-result.ts'
import type { SiteWorld } from './site.ts'
import { heldOtherwise } from './upgrade/held-otherwise.ts'

/** What is wanted on one site, the versions whose turn has not come there, and the deployments that a failure ends. */
export type WantedHere = Wanted &
  Pick<Found, 'contents'> &
  Required<Pick<Rules, 'turns' | 'sameVersion'>> &
  Pick<SiteTurns, 'ending'> &
  Pick<DecideOptions, 'exchange' | 'wantedOn'>

/** Returns what is wanted on a site, of what is wanted on all of them. */
export async function wantedOn(
  { world: { journal, memory }, engine }: SiteWorld,
  offered: Wanted,
  { refused, elsewhere, placed, joined, awaited, sameVersion, ending }: SiteTurns,
): Promise<WantedHere> {
  const desired = variantFor(offered.desired, engine.site)
  const { environment } = desired
  const loaded = () => journal.routes(environment, engine.site)
  const held = heldOtherwise(journal.heldVersions(environment), desired)
  const paused = [...sameVersion].flatMap(([name, { held }]) => (held === undefined ? [] : [name]))
  const later = new Set([...awaited.keys(), ...paused])
  const isWantedElsewhere = [...placed].some(name => namesAnywhere(offered.desired).has(name))
  const unmade = takenHere(desired, engine.site)
  const cut = { refused: [...refused, ...held, ...unmade], elsewhere, isWantedElsewhere, joined, later }
  return {
    ...offered,
    desired: await wantedHere(engine, desired, loaded, cut),
    turns: awaited,
    sameVersion,
    ending,
    contents: contentsIn(offered.desired),
    exchange: instead => wantedHere(engine, desired, loaded, { ...cut, instead }),
    wantedOn: async other =>
      (await wantedOn(other, offered, memory.fleet.turns.onSite(other.engine.site))).desired,
  }
}

/** Returns that the ingress cannot be made on a site, because another one has its ports there. */
function takenHere({ ingressTaken }: DesiredState, site: string): readonly Blocked[] {
  const problem = ingressTaken?.get(site)
  return problem === undefined ? [] : [{ application: ingressName, problems: [problem] }]
}

/** Each site asks for the names of applications that any site should have, and they are the same for all. */
const namesAnywhere = onceFor(
  (desired: DesiredState): ReadonlySet<string> =>
    new Set(applicationsAnywhere(desired).map(({ name }) => name)),
)
