import { sumOf } from '../../../numbers.ts'
import { joinedPlanId } from '../../../plan/id.ts'
import type { PassResult } from '../../site/result/pass-result.ts'

/** What waits for one word of a person, on one or more of several sites. */
export type WaitsTogether = {
  /** The id under which all of it is approved, as `status` shows it. */
  readonly id: string
  readonly changes: number
  /** On how many sites something of it waits. */
  readonly sites: number
}

/** What the last pass over a site found. */
type Found = {
  /** Absent: nothing is to be done there, or that is not known. */
  readonly planId?: string
  /** Absent: the repository could not be read. */
  readonly commit?: string
  readonly waiting: number
  /** It changed something, so that another pass is still to come. */
  readonly isOpen: boolean
}

/**
 * Creates what is told of each pass, and of the sites that there are, and says what waits on them together: once the last
 * pass over each of them has seen the commit of this one, and each time that something else waits then. Undefined: nothing
 * new waits, some are still to be looked at, or there is only one.
 */
export function waitsTogether(): (result: PassResult, sites: readonly string[]) => WaitsTogether | undefined {
  const last = new Map<string, Found>()
  let told: string | undefined
  return (result, sites) => {
    const { site, plan } = result
    if (site === undefined || sites.length < 2) return undefined
    last.set(site, foundIn(result))
    const commit = plan?.revision.commit
    const all = sites.flatMap(one => last.get(one) ?? [])
    const isMissing =
      all.length < sites.length || all.some(one => one.isOpen || (one.commit ?? commit) !== commit)
    if (isMissing || commit === undefined) return undefined
    const asked = all.filter(({ waiting }) => waiting > 0)
    const id = joinedPlanId((asked.length === 1 ? asked : all).flatMap(({ planId }) => planId ?? []))
    const news = asked.length === 0 ? '' : `${commit} ${id}`
    const isTold = news === '' || news === told
    told = news
    return isTold ? undefined : { id, changes: sumOf(asked, ({ waiting }) => waiting), sites: asked.length }
  }
}

function foundIn({ plan, waiting, results }: PassResult): Found {
  return {
    ...(plan === undefined || plan.changes.length === 0 ? {} : { planId: plan.id }),
    ...(plan === undefined ? {} : { commit: plan.revision.commit }),
    waiting: waiting.length,
    isOpen: results.length > 0,
  }
}
