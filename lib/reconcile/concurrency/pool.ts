import { later } from '../../wait/timer.ts'

export type PoolLimits = {
  /** How much work is done at the same time. */
  readonly most: number
  /** How much of it on one site. */
  readonly perSite: number
  /**
   * Work that takes longer makes its site a slow one, and gives its place to others. What hangs therefore holds up
   * nobody, however often it is tried.
   */
  readonly patienceMs: number
  /** How much work of slow sites is done at the same time, beside that of the others. */
  readonly slow: number
  /**
   * How much work of sites that are not slow may be younger than so many ms; absent: all of it. Where answers come at
   * once, one piece of work is then done after the other, instead of all of it waiting in memory; where they take time,
   * more is under way.
   */
  readonly young?: { readonly most: number; readonly ms: number }
}

/** Does work on a site as soon as there is a place for it. Work may leave its place before it ends. */
export type Pool = <T>(site: string, work: (leave: () => void) => Promise<T>) => Promise<T>

/** The sites that wait for a place, the next one first. */
type Lane = { readonly most: () => number; taken: number; readonly next: Set<Site> }

type Site = { lane: Lane; busy: number; readonly waiting: ((leave: () => void) => void)[] }

/**
 * Creates places for work that all sites share (G17).
 *
 * - Sites take turns: one that has much to do does not keep the others waiting.
 * - A site is slow from when work on it took too long until work on it ends in time.
 * - Work that is under way is never stopped: it has deadlines of its own.
 * - Where work is limited while it is young, older work does not keep any from beginning.
 * - The limits are read whenever there may be a place, so they may change.
 * - Of a site that is not slow and has nothing to do, nothing is kept.
 */
export function createPool(limits: PoolLimits): Pool {
  const { perSite, patienceMs, young } = limits
  let youngNow = 0
  const hasRoom = () => young === undefined || youngNow < young.most
  const usual: Lane = { most: () => (hasRoom() ? limits.most : 0), taken: 0, next: new Set() }
  const patient: Lane = { most: () => limits.slow, taken: 0, next: new Set() }
  const sites = new Map<string, Site>()

  const line = (site: Site) => {
    if (site.waiting.length > 0 && site.busy < perSite) site.lane.next.add(site)
  }
  const move = (site: Site, lane: Lane) => {
    site.lane.next.delete(site)
    site.lane = lane
    line(site)
  }
  const fill = (lane: Lane) => {
    for (const site of lane.next) {
      if (lane.taken >= lane.most()) return
      lane.next.delete(site)
      const enter = site.waiting.shift()
      enter?.(take(site))
      line(site)
    }
  }
  /** Counts work as young for so long, or until the returned function is called. */
  const beYoung = (ms: number) => {
    let isYoung = true
    youngNow += 1
    const grow = () => {
      if (isYoung) youngNow -= 1
      isYoung = false
    }
    const timer = later(ms, () => {
      grow()
      fill(usual)
    })
    return () => {
      timer.cancel()
      grow()
    }
  }
  const take = (site: Site) => {
    let { lane } = site
    let [isLate, hasLeft] = [false, false]
    const grow = young === undefined || lane === patient ? undefined : beYoung(young.ms)
    lane.taken += 1
    site.busy += 1
    const change = (to: Lane) => {
      lane.taken -= 1
      lane = to
      lane.taken += 1
    }
    const timer = later(patienceMs, () => {
      isLate = true
      change(patient)
      move(site, patient)
      fill(usual)
    })
    return () => {
      if (hasLeft) return
      hasLeft = true
      timer.cancel()
      grow?.()
      lane.taken -= 1
      site.busy -= 1
      move(site, isLate ? patient : usual)
      fill(usual)
      fill(patient)
    }
  }
  return async (name, work) => {
    const site = sites.get(name) ?? { lane: usual, busy: 0, waiting: [] }
    sites.set(name, site)
    const { promise, resolve } = Promise.withResolvers<() => void>()
    site.waiting.push(resolve)
    line(site)
    fill(site.lane)
    const leave = await promise
    try {
      return await work(leave)
    } finally {
      leave()
      const isIdle = site.busy + site.waiting.length === 0 && site.lane === usual
      // What left its place early ends later than all that came after it.
      if (isIdle && sites.get(name) === site) sites.delete(name)
    }
  }
}
