import { heldCapabilities } from '../capabilities.ts'
import type { Container, SystemCallFilter } from '../container.ts'
import { byCapability, everyday, restricted, startCalls, tracing, unlimited } from './names.ts'

/** A profile in the form that the Engine API takes. */
export type SeccompProfile = {
  readonly defaultAction: Action
  readonly defaultErrnoRet?: number
  readonly archMap: readonly { readonly architecture: string; readonly subArchitectures: readonly string[] }[]
  readonly syscalls: readonly Rule[]
}

type Action = 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO' | 'SCMP_ACT_KILL_PROCESS'

type Rule = {
  readonly names: readonly string[]
  readonly action: Action
  readonly errnoRet?: number
  readonly args?: readonly Argument[]
  readonly includes?: { readonly minKernel?: string; readonly arches?: readonly string[] }
  readonly excludes?: { readonly arches: readonly string[] }
}

type Argument = {
  readonly index: number
  readonly value: number
  readonly valueTwo?: number
  readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_NE' | 'SCMP_CMP_MASKED_EQ'
}

type Capable = Pick<Container, 'capAdd' | 'capDrop'>

/**
 * Returns the profile of a filter. What Docker permits with certain arguments alone stays so, and nothing that it never
 * permits is in it unless the filter names it, which a policy has to allow (`unusualCalls`).
 */
export function seccompProfile(filter: SystemCallFilter, container: Capable): SeccompProfile {
  const { mode, calls, errno } = filter
  const blocked: Pick<Rule, 'action' | 'errnoRet'> =
    errno === undefined ? { action: 'SCMP_ACT_KILL_PROCESS' } : { action: 'SCMP_ACT_ERRNO', errnoRet: errno }
  if (mode === 'remove')
    return {
      defaultAction: 'SCMP_ACT_ERRNO',
      defaultErrnoRet: notPermitted,
      archMap,
      syscalls: [{ names: calls, ...blocked }, ...permitted(name => !calls.includes(name), [], container)],
    }
  const retained = new Set([...calls, ...startCalls])
  // Whoever may make one of the two asks for the other one first.
  if (retained.has('clone')) retained.add('clone3')
  return {
    defaultAction: blocked.action,
    ...(errno === undefined ? {} : { defaultErrnoRet: errno }),
    archMap,
    syscalls: [
      ...permitted(name => retained.has(name), unusualCalls(filter, container), container),
      // Docker Engine 20.10 knows no default but "not permitted".
      ...(errno === undefined ? [] : [{ names: unlimited.filter(name => !retained.has(name)), ...blocked }]),
    ],
  }
}

/** Returns the system calls that a filter retains and that Docker permits no container with these capabilities. */
export function unusualCalls({ mode, calls }: SystemCallFilter, container: Capable): readonly string[] {
  if (mode === 'remove') return []
  const usual = new Set([...everyday, ...tracing, ...restricted, ...capableOf(container)])
  return calls.filter(name => !usual.has(name))
}

/** Returns a rule for each way in which calls are permitted. */
function permitted(
  isMeant: (name: string) => boolean,
  more: readonly string[],
  container: Capable,
): readonly Rule[] {
  const capable = capableOf(container)
  const free = [...new Set([...everyday, ...capable, ...more])].filter(isMeant).toSorted()
  const only = (names: readonly string[]) =>
    names.filter(name => isMeant(name) && !capable.includes(name)).toSorted()
  const traced = only(tracing)
  const limited = only(restricted).flatMap(name =>
    (limits[name] ?? []).map(rule => ({ names: [name], ...rule })),
  )
  // Programs take it for a kernel without this call, and make the older one, whose arguments can be seen.
  const older: readonly Rule[] =
    capable.includes('clone3') || !isMeant('clone3')
      ? []
      : [{ names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: notImplemented }]
  return [
    { names: free, action: 'SCMP_ACT_ALLOW' },
    ...(traced.length === 0
      ? []
      : [{ names: traced, action: 'SCMP_ACT_ALLOW', includes: { minKernel: '4.8' } } as const]),
    ...limited,
    ...older,
  ]
}

function capableOf(container: Capable): readonly string[] {
  const held = heldCapabilities(container)
  return Object.entries(byCapability).flatMap(([capability, calls]) =>
    held.includes('ALL') || held.includes(capability) ? calls : [],
  )
}

const [notPermitted, notImplemented] = [1, 38]

function allowedWith(...args: readonly Argument[]): Omit<Rule, 'names'> {
  return { action: 'SCMP_ACT_ALLOW', args }
}

/** All flags of `clone` that make a namespace. */
const namespaces = 0x7e02_0000
const virtualMachines = 40

const flagsAt = (index: number) =>
  allowedWith({ index, value: namespaces, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' })
const otherOrder = { arches: ['s390', 's390x'] } as const

const limits: Readonly<Record<string, readonly Omit<Rule, 'names'>[]>> = {
  clone: [
    { ...flagsAt(0), excludes: otherOrder },
    { ...flagsAt(1), includes: otherOrder },
  ],
  // An ordinary program, one of 32 bits, each without randomised addresses, and the question which one it is.
  personality: [0, 0x8, 0x2_0000, 0x2_0008, 0xffff_ffff].map(value =>
    allowedWith({ index: 0, value, op: 'SCMP_CMP_EQ' }),
  ),
  socket: [allowedWith({ index: 0, value: virtualMachines, op: 'SCMP_CMP_NE' })],
}

const archMap: SeccompProfile['archMap'] = [
  { architecture: 'SCMP_ARCH_X86_64', subArchitectures: ['SCMP_ARCH_X86', 'SCMP_ARCH_X32'] },
  { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: ['SCMP_ARCH_ARM'] },
  { architecture: 'SCMP_ARCH_S390X', subArchitectures: ['SCMP_ARCH_S390'] },
  { architecture: 'SCMP_ARCH_PPC64LE', subArchitectures: [] },
  { architecture: 'SCMP_ARCH_RISCV64', subArchitectures: [] },
]
