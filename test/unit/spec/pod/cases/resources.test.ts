import { app, pod } from '../built-pod.ts'
import { type Built, expectOutcome, type Refused, refused, shown, unrunnable } from './outcome.ts'

type Value = Readonly<Record<string, unknown>> | unknown

const isolator = (kind: string, value: Value) => ({ name: `resource/${kind}`, value })

/** A pod of one app, with what bounds the app and, if it is there, what bounds the pod. */
const bounded = (kind: string, ofApp: Value, ofPod?: Value) =>
  pod({
    apps: [app({}, { isolators: [isolator(kind, ofApp)] })],
    ...(ofPod === undefined ? {} : { isolators: [isolator(kind, ofPod)] }),
  })

/** The limit and the reservation of the first app in bytes, or its CPUs in billionths and its share. */
const memory = ({ apps: [first] }: Built) => [first?.memoryBytes, first?.memoryReservationBytes]
const cpu = ({ apps: [first] }: Built) => [first?.nanoCpus, first?.cpuShares]

const place = '/apps/0/app/isolators'
const value = `${place}/0/value`
const Mi = 1_048_576

type Case = readonly [
  of: Value,
  seen: readonly [number | undefined, number | undefined] | Refused,
  ofPod?: Value,
]

const ofMemory: readonly Case[] = [
  [{ limit: '64Mi' }, [64 * Mi, undefined]],
  [{ limit: '64M' }, [64_000_000, undefined]],
  [{ limit: '0.5G' }, [500_000_000, undefined]],
  [{ limit: 67108864 }, [64 * Mi, undefined]],
  [{ limit: 1e8 }, [100_000_000, undefined]],
  [{ limit: '6Mi' }, [6 * Mi, undefined]],
  [{ limit: '6291455.1' }, [6 * Mi, undefined]],
  [{ limit: '1G', request: '1G' }, [1_000_000_000, 1_000_000_000]],
  [{ limit: '2G', request: '1G', default: false }, [2_000_000_000, 1_000_000_000]],
  [{ request: '1G' }, [undefined, 1_000_000_000]],
  [{ limit: '64Mi', request: '0' }, [64 * Mi, 0]],
  [{ limit: '1G' }, [64 * Mi, undefined], { limit: '64Mi' }],
  [{ limit: '32Mi' }, [32 * Mi, undefined], { limit: '64Mi' }],
  [{ request: '32Mi' }, [64 * Mi, 32 * Mi], { limit: '64Mi' }],
  [{ request: '64Mi' }, [64 * Mi, 64 * Mi], { limit: '64Mi' }],
  [{ limit: '32Mi' }, [32 * Mi, undefined], { request: '64Mi' }],
  [
    { limit: '6291454' },
    unrunnable(`${place} may use 6291454 of memory, and 6Mi is the least that the engine takes`),
  ],
  [{ limit: '0' }, unrunnable(`${place} may use 0 of memory, and 6Mi is the least that the engine takes`)],
  [
    { limit: '1G' },
    unrunnable('/isolators may use 1Mi of memory, and 6Mi is the least that the engine takes'),
    { limit: '1Mi' },
  ],
  [
    { request: '65Mi' },
    unrunnable('/isolators bound the pod to 64Mi of memory, and its apps request 65Mi together'),
    { limit: '64Mi' },
  ],
  [{ limit: '-1' }, unrunnable(`${place} may use -1 of memory, which is less than none`)],
  [
    { limit: '1G' },
    unrunnable('/isolators bound the pod to -1 of memory, which is less than none'),
    { limit: '-1' },
  ],
  [{ request: '-1Ki' }, unrunnable(`${place} requests -1Ki of memory, which is less than none`)],
  [{ limit: '1Gi', request: '2G' }, refused(`${value}/request is more than the limit`)],
  [{ limit: '1G', request: '1000000000.001' }, refused(`${value}/request is more than the limit`)],
  [{ limit: '1g' }, refused(`${value}/limit "1g" is no quantity; write for example 500m, 1G or 64Mi`)],
  [
    { limit: '1G', request: '' },
    refused(`${value}/request "" is no quantity; write for example 500m, 1G or 64Mi`),
  ],
  [{ limit: true }, refused(`${value}/limit must be a quantity; write for example "1G"`)],
  [{ limit: ['1G'] }, refused(`${value}/limit must be a quantity; write for example "1G"`)],
  [{}, refused(`${value} needs "limit", "request" or both`)],
  [{ default: true, limit: '1G' }, refused(`${value}/default is not for this isolator`)],
  ['1G', refused(`${value} must be an object with "limit", "request" or both`)],
  [['1G'], refused(`${value} must be an object with "limit", "request" or both`)],
]

const ofCpu: readonly Case[] = [
  [{ limit: '1' }, [1_000_000_000, undefined]],
  [{ limit: '500m' }, [500_000_000, undefined]],
  [{ limit: '0.5' }, [500_000_000, undefined]],
  [{ limit: 1.5 }, [1_500_000_000, undefined]],
  [{ limit: '10m' }, [10_000_000, undefined]],
  [{ limit: '9.5m' }, [10_000_000, undefined]],
  [{ limit: '1000' }, [1_000_000_000_000, undefined]],
  [{ limit: '500m', request: '250m' }, [500_000_000, 256]],
  [{ request: '1' }, [undefined, 1024]],
  [{ request: '2' }, [undefined, 2048]],
  [{ request: '0' }, [undefined, 2]],
  [{ limit: '4' }, [2_000_000_000, undefined], { limit: '2' }],
  [
    { limit: '500', request: '250' },
    unrunnable('/isolators bound the pod to 4 CPUs, and its apps request 250 together'),
    { limit: '4' },
  ],
  [
    { limit: '2', request: '1600m' },
    unrunnable('/isolators bound the pod to 1.5 CPUs, and its apps request 1600m together'),
    { limit: '1.5' },
  ],
  [{ limit: '9m' }, unrunnable(`${place} may use 9m CPUs, and 10m is the least that the engine takes`)],
  [{ limit: '1001' }, unrunnable(`${place} may use 1001 CPUs, and the engine takes at most 1000`)],
  [{ request: '-1' }, unrunnable(`${place} requests -1 CPUs, which is less than none`)],
  [{ limit: '-1m' }, unrunnable(`${place} may use -1m CPUs, which is less than none`)],
  [
    { limit: '1' },
    unrunnable('/isolators bound the pod to -500m CPUs, which is less than none'),
    { limit: '-500m' },
  ],
  [{ limit: '250m', request: '500m' }, refused(`${value}/request is more than the limit`)],
  [
    { limit: '1 core' },
    refused(`${value}/limit "1 core" is no quantity; write for example 500m, 1G or 64Mi`),
  ],
  [{ default: true, request: '1' }, refused(`${value}/default is not for this isolator`)],
  [1, refused(`${value} must be an object with "limit", "request" or both`)],
]

describe('C40 C41 C42 cases of memory and CPUs', () => {
  for (const [kind, cases, seen] of [
    ['memory', ofMemory, memory],
    ['cpu', ofCpu, cpu],
  ] as const)
    for (const [ofApp, expected, ofPod] of cases)
      it(`${kind} ${shown(ofApp)}${ofPod === undefined ? '' : ` in a pod of ${shown(ofPod)}`}`, () => {
        expectOutcome(bounded(kind, ofApp, ofPod), seen, expected)
      })
})

describe('C40 cases of bandwidth, which Docker cannot limit for all devices together', () => {
  const kinds = ['block-bandwidth', 'block-iops', 'network-bandwidth'] as const
  const outcome = ({ instance }: Built) => instance?.pod?.isolators.map(one => one.outcome)

  for (const kind of kinds) {
    for (const ofApp of [{ default: true, limit: '2M' }, { default: true, limit: 1000 }, { default: true }])
      it(`${kind} ${shown(ofApp)} is ignored`, () => {
        expectOutcome(bounded(kind, ofApp, ofApp), outcome, ['ignored', 'ignored'])
      })

    for (const [ofApp, expected] of [
      [{ limit: '2M' }, refused(`${value}/default must be true`)],
      [{ default: 'true', limit: '2M' }, refused(`${value}/default must be true`)],
      [{ default: true, limit: '2M', request: '1M' }, refused(`${value}/request is not for this isolator`)],
      [
        { default: true, limit: '2 MB/s' },
        refused(`${value}/limit "2 MB/s" is no quantity; write for example 500m, 1G or 64Mi`),
      ],
      ['2M', refused(`${value} must be an object with "default" and "limit"`)],
    ] as const)
      it(`${kind} ${shown(ofApp)} is refused`, () => {
        expectOutcome(bounded(kind, ofApp), outcome, expected)
      })
  }
})

describe('C40 C42 cases of what becomes of memory and CPUs of a pod', () => {
  const several = 'the engine has no limit for several containers together, so it is the most of each app'
  const unasked = 'the engine keeps nothing for several containers together'
  const told = ({ instance, warnings }: Built) => ({
    outcomes: instance?.pod?.isolators.map(({ outcome, reason = '' }) => `${outcome} ${reason}`.trim()),
    warnings,
  })
  const cases: readonly (readonly [of: object, apps: number, outcome: string])[] = [
    [{ limit: '1G' }, 1, 'enforced'],
    [{ limit: '1G' }, 2, `modified ${several}`],
    [{ limit: '1G', request: '1000M' }, 1, 'enforced'],
    [{ limit: '1G', request: '500M' }, 1, `modified its request is left out: ${unasked}`],
    [{ limit: '1G', request: '500M' }, 2, `modified its request is left out: ${unasked}; ${several}`],
    [{ request: '500M' }, 1, `ignored ${unasked}`],
    [{ request: '500M' }, 2, `ignored ${unasked}`],
  ]
  for (const [of, count, outcome] of cases)
    it(`${shown(of)} of a pod with ${count === 1 ? 'one app' : 'two apps'} is ${outcome.split(' ')[0]}`, () => {
      const apps = ['a', 'b'].slice(0, count).map(name => app({ name }))
      const warnings = outcome.startsWith('ignored')
        ? [`/isolators/0 resource/memory is ignored: ${unasked} (pod-changed)`]
        : []
      expectOutcome(pod({ apps, isolators: [isolator('memory', of)] }), told, {
        outcomes: [outcome],
        warnings,
      })
    })
})
