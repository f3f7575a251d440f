/** A time for each of many sites, in ms. */
export type SiteTimes = {
  /** Undefined: the site has none. */
  get(site: string): number | undefined
  has(site: string): boolean
  /** The last of the times; undefined: no site has one. */
  latest(): number | undefined
  /** Returns the same times, to be changed by whoever asked and nobody else. */
  copy(): ChangingSiteTimes
}

/** Times that somebody changes before he hands them on. */
export type ChangingSiteTimes = SiteTimes & {
  set(site: string, ms: number): void
  delete(site: string): void
}

/**
 * Returns times that no site has. They and their copies are for thousands of sites, and are copied at each look: so they
 * stand in one piece outside of the heap that is searched for garbage, and the copies share the places of their sites in
 * it, of which there are only ever more.
 */
export function noSiteTimes(): ChangingSiteTimes {
  return siteTimes(new Map(), new Float64Array(0))
}

/** @param known the times in the places of their sites, NaN for none, which is not changed itself */
function siteTimes(places: Map<string, number>, known: Float64Array): ChangingSiteTimes {
  let [times, isShared] = [known, true]
  const get = (site: string) => {
    const place = places.get(site)
    const ms = place === undefined ? undefined : times[place]
    return ms === undefined || Number.isNaN(ms) ? undefined : ms
  }
  const put = (site: string, ms: number) => {
    const place = places.get(site) ?? places.size
    places.set(site, place)
    if (isShared || place >= times.length) times = copyOf(times, place)
    isShared = false
    times[place] = ms
  }
  return {
    get,
    has: site => get(site) !== undefined,
    latest() {
      let last: number | undefined
      for (const ms of times) if (ms >= (last ?? ms)) last = ms
      return last
    },
    copy() {
      isShared = true
      return siteTimes(places, times)
    },
    set: put,
    delete(site) {
      if (get(site) !== undefined) put(site, Number.NaN)
    },
  }
}

/** Returns a copy that has this place, too, and then room for more. */
function copyOf(times: Float64Array, place: number): Float64Array {
  const all = new Float64Array(place < times.length ? times.length : Math.max(64, 2 * place))
  all.fill(Number.NaN, times.length)
  all.set(times)
  return all
}
