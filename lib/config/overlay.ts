import { type Document, keysOf } from '../document/document.ts'
import { isRecord } from '../object.ts'
import { isWithin } from '../text/in-directory.ts'

/** The flags of the command line. They take precedence over the environment variables, and those over the file. */
export type Flags = {
  readonly config?: string
  readonly repository?: string
  readonly ref?: string
  readonly environment?: readonly string[]
  readonly stateDir?: string
  readonly strict?: boolean
}

/** A key of the configuration that flags and variables may give. The first one that is given counts. */
type Setting = {
  readonly pointer: string
  readonly flag?: Exclude<keyof Flags, 'config'>
  readonly variables: readonly string[]
  /** Whether a variable holds several values with commas between them. */
  readonly isList?: true
  /** Whether a variable says `true` or `false`. */
  readonly isSwitch?: true
}

const settings: readonly Setting[] = [
  {
    pointer: '/environments',
    flag: 'environment',
    variables: ['TALLYMAN_ENVIRONMENTS', 'TALLYMAN_ENVIRONMENT'],
    isList: true,
  },
  { pointer: '/poll', variables: ['TALLYMAN_POLL'] },
  { pointer: '/prune', variables: ['TALLYMAN_PRUNE'] },
  { pointer: '/drift', variables: ['TALLYMAN_DRIFT'] },
  { pointer: '/registry', variables: ['TALLYMAN_REGISTRY'] },
  { pointer: '/healthyTime', variables: ['TALLYMAN_HEALTHY_TIME'] },
  { pointer: '/approvalExpires', variables: ['TALLYMAN_APPROVAL_EXPIRES'] },
  { pointer: '/strict', flag: 'strict', variables: ['TALLYMAN_STRICT'], isSwitch: true },
  { pointer: '/stateDir', flag: 'stateDir', variables: ['TALLYMAN_STATE_DIR'] },
  { pointer: '/repository/url', flag: 'repository', variables: ['TALLYMAN_REPOSITORY'] },
  { pointer: '/repository/name', variables: ['TALLYMAN_REPOSITORY_NAME'] },
  { pointer: '/repository/ref', flag: 'ref', variables: ['TALLYMAN_REF'] },
  { pointer: '/log/level', variables: ['TALLYMAN_LOG_LEVEL'] },
  { pointer: '/log/format', variables: ['TALLYMAN_LOG_FORMAT'] },
]

type Value = string | boolean | readonly string[]

/** A value from outside of the file. */
type Given = { readonly pointer: string; readonly value: Value; readonly from: string }

/**
 * Puts environment variables `TALLYMAN_<KEY>` over the file, and flags over both. The place of a value that a flag or a
 * variable gave is that flag or variable.
 */
export function overlay(document: Document, flags: Flags, env: NodeJS.ProcessEnv): Document {
  const given = settings.flatMap(setting => givenFor(setting, flags, env))
  const sourceOf = (pointer: string) => given.find(one => isWithin(pointer, one.pointer))?.from
  const placed = (at: Document['position']): Document['position'] => {
    return pointer => {
      const from = sourceOf(pointer)
      return from === undefined ? at(pointer) : { file: from }
    }
  }
  return {
    ...document,
    value: given.reduce(
      (value, one) => withValue(value, keysOf(one.pointer), one.value),
      isRecord(document.value) ? document.value : {},
    ),
    position: placed(document.position),
    keyPosition: placed(document.keyPosition),
    spelling: pointer => (sourceOf(pointer) === undefined ? document.spelling(pointer) : undefined),
  }
}

function givenFor(
  { pointer, flag, variables, isList, isSwitch }: Setting,
  flags: Flags,
  env: NodeJS.ProcessEnv,
): readonly Given[] {
  const ofFlag = flag === undefined ? undefined : flags[flag]
  if (flag !== undefined && ofFlag !== undefined)
    return [{ pointer, value: ofFlag, from: `the flag ${flagName(flag)}` }]
  for (const name of variables) {
    const text = env[name]
    if (text === undefined) continue
    const value = isList
      ? text.split(',').map(one => one.trim())
      : isSwitch && (text === 'true' || text === 'false')
        ? text === 'true'
        : text
    return [{ pointer, value, from: `the variable ${name}` }]
  }
  return []
}

/** Returns a flag as it is typed: `--state-dir`. */
function flagName(flag: string): string {
  return `--${flag.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}

type Tree = Readonly<Record<string, unknown>>

/** Returns the object with another value at a path. What is no object on the way there is replaced. */
function withValue(tree: Tree, [key = '', ...rest]: readonly string[], value: Value): Tree {
  if (rest.length === 0) return { ...tree, [key]: value }
  const inner = tree[key]
  return { ...tree, [key]: withValue(isRecord(inner) ? inner : {}, rest, value) }
}
