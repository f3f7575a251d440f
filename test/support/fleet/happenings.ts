import fc from 'fast-check'

/** A fleet with one application and its deployment. Sites are `s0`, `s1`, and so on. */
export type FleetShape = {
  readonly sites: readonly SiteShape[]
  /** How many of the first sites of the placement try a version first. */
  readonly canaries: number
  readonly byWord: boolean
  readonly parallel: number
  /** For what is drawn. */
  readonly seed: number
}

export type SiteShape = {
  /** Whether the application runs there. */
  readonly isEdge: boolean
  /** When upgrades are allowed, every day, in hours by UTC; undefined: at all times. */
  readonly window: { readonly fromHour: number; readonly hours: number } | undefined
}

/** The versions that are committed, with the versions from which each may be reached; undefined: from all. */
export const upgradeFrom: Readonly<Record<string, readonly string[] | undefined>> = {
  '1': undefined,
  '2': undefined,
  '3': ['2'],
  '4': ['1', '3'],
  '9': undefined,
}

/** Whether a version may follow another one, at once or by way of others. */
export function leadsTo(from: string, to: string): boolean {
  const before = upgradeFrom[to]
  return from !== to && (before?.some(one => one === from || leadsTo(from, one)) ?? true)
}

/** What a version is, under one name. No instance of what is `broken` becomes healthy. */
export type Content = (typeof contents)[number]

const contents = ['first', 'other', 'broken'] as const

/** Something happens to a fleet. A site is meant by its number, modulo how many there are. */
export type Happening =
  | { readonly what: 'passes' }
  | { readonly what: 'time passes'; readonly minutes: number }
  | { readonly what: 'commit'; readonly version: string; readonly content: Content }
  | { readonly what: 'word'; readonly word: (typeof words)[number] }
  /** About what waits: the wanted version, or one that is named. The site is one of those without the wanted one. */
  | {
      readonly what: 'force-upgrade' | 'delete-upgrade'
      readonly site: number
      readonly version: string | undefined
    }
  /** `fails`: the next instance that is started there does not become healthy. `drifts`: somebody removes all of it. */
  | { readonly what: 'goes away' | 'comes back' | 'fails' | 'drifts'; readonly site: number }
  | { readonly what: 'kill' }
  /** Of the configuration. The last site stays. */
  | { readonly what: 'leaves' | 'joins'; readonly site: number }
  /** It gets the label by which the deployment means it, or loses it. */
  | { readonly what: 'is relabelled'; readonly site: number }
  | { readonly what: 'redeploy' }
  /** Somebody sets the clock of the host: the time of day alone. */
  | { readonly what: 'clock is set'; readonly byMinutes: number }

/** A happening, after so many further steps on engines, whoever takes them. */
export type Timed = { readonly afterSteps: number; readonly happening: Happening }

export const words = ['approve', 'pause', 'resume', 'abort'] as const

const site = fc.nat(5)

const sudden: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('commit' as const),
      version: fc.constantFrom('1', '2', '3', '4'),
      content: fc.constantFrom<Content>('first', 'first', ...contents),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constantFrom('goes away' as const, 'fails' as const), site }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ what: fc.constantFrom('comes back' as const, 'drifts' as const), site }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constantFrom('force-upgrade' as const, 'delete-upgrade' as const),
      site,
      version: fc.option(fc.constantFrom('2', '3'), { nil: undefined, freq: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constantFrom('leaves' as const, 'joins' as const, 'is relabelled' as const),
      site,
    }),
  },
  { weight: 1, arbitrary: fc.constant({ what: 'redeploy' } as const) },
  { weight: 2, arbitrary: fc.constant({ what: 'kill' } as const) },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('clock is set' as const),
      byMinutes: fc.oneof(fc.integer({ min: -15, max: 15 }), fc.integer({ min: -2_000, max: 2_000 })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ what: fc.constant('word' as const), word: fc.constantFrom(...words) }),
  },
)

/** Passes are made between any two, and something may happen in the middle of them. */
export const anyHappenings: fc.Arbitrary<readonly (Happening | Timed)[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: sudden },
    { weight: 3, arbitrary: fc.record({ afterSteps: fc.nat(25), happening: sudden }) },
    {
      weight: 3,
      arbitrary: fc.record({
        what: fc.constant('time passes' as const),
        minutes: fc.oneof(fc.constant(1), fc.nat(20 * 60)),
      }),
    },
    { weight: 4, arbitrary: fc.constant({ what: 'passes' } as const) },
  ),
  { minLength: 5, maxLength: 16, size: 'max' },
)

export const anyFleet: fc.Arbitrary<FleetShape> = fc.record({
  sites: fc.array(
    fc.record({
      isEdge: fc.nat(5).map(lot => lot > 0),
      window: fc.option(
        fc.record({ fromHour: fc.integer({ min: 0, max: 23 }), hours: fc.integer({ min: 1, max: 12 }) }),
        { nil: undefined, freq: 2 },
      ),
    }),
    { minLength: 1, maxLength: 6, size: 'max' },
  ),
  canaries: fc.nat(2),
  byWord: fc.boolean(),
  parallel: fc.integer({ min: 1, max: 3 }),
  seed: fc.nat(),
})
