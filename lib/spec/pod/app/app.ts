import type { Container, Image, Mount } from '../../../state/application/container/container.ts'
import { shellCalls } from '../../../state/application/container/system-calls/names.ts'
import { isTaken, searchPath, toldToApp } from '../../../state/application/container/told-variables.ts'
import { isWithin } from '../../../text/in-directory.ts'
import { parsePath } from '../../grammar/path.ts'
import { parseGroup, parseLoneUser } from '../../grammar/user.ts'
import { present } from '../../present.ts'
import { defaults } from '../../read/container.ts'
import type { Spot } from '../../spot.ts'
import { faultAnnotations, faultLabels, faultRepeated } from '../annotations.ts'
import { type AppBounds, boundsOf } from '../isolators/container-limits.ts'
import type { NamedIsolator } from '../isolators/isolator.ts'
import { mountsOfContainer, type PodMount } from '../mounts.ts'
import type { PodPlace } from '../place.ts'
import type { App, PodApp } from '../pod.gen.ts'
import { faultHidingShell, readHandlers, shellMount } from './handlers.ts'
import { programOf } from './program.ts'

/** What happens when an app ends. */
export type AppEnding = Pick<Container, 'restart' | 'mayEnd'>

/** What the pod decides for its apps. */
export type PodSurroundings = {
  readonly image: Image
  readonly mounts: readonly PodMount[]
  readonly podIsolators: readonly NamedIsolator[]
  /** Where they are written. */
  readonly ofPod: Spot
  readonly isolators: readonly NamedIsolator[]
  /** How long the main program has to run to count as healthy. */
  readonly healthyMs: number
  /** What happens when it ends. */
  readonly ending: AppEnding
}

/** Returns the container of an app. Its `app` replaces what the image says of itself completely (C5). */
export function appContainer(
  written: PodApp,
  { image, mounts, podIsolators, ofPod, isolators, healthyMs, ending }: PodSurroundings,
  place: PodPlace,
): Container {
  const { name, app, readOnlyRootFS: readOnly, annotations = [] } = written
  faultAnnotations(annotations, place.invalid.at('annotations'))
  faultLabels(written.image.labels ?? [], place.at('image', 'labels'))
  const bounds = boundsOf(
    { pod: podIsolators, app: isolators },
    { pod: ofPod, app: place.unrunnable.at('app', 'isolators') },
  )
  const { eventHandlers = [] } = app ?? {}
  return {
    name,
    image,
    ...defaults,
    ...ending,
    ...(app === undefined
      ? {}
      : {
          ...{ imageEnv: 'unset' as const },
          ...readApp(app, mounts, place.at('app')),
          ...readHandlers(app, healthyMs, place.at('app')),
        }),
    ...present({
      env: {
        ...(app === undefined ? {} : { PATH: searchPath }),
        ...Object.fromEntries((app?.environment ?? []).map(({ name, value }) => [name, value])),
        ...toldToApp(name),
      },
      mounts: mountsOf(written, mounts, place),
      readOnly: readOnly === true ? true : undefined,
    }),
    ...(eventHandlers.length === 0 ? bounds : withShell(bounds)),
  }
}

/** The shell that runs event handlers has the filter of its app. */
function withShell({ systemCalls, ...bounds }: AppBounds): AppBounds {
  if (systemCalls?.mode !== 'retain') return { ...bounds, ...present({ systemCalls }) }
  const calls = [...new Set([...systemCalls.calls, ...shellCalls])].toSorted()
  return { ...bounds, systemCalls: { ...systemCalls, calls } }
}

function mountsOf(written: PodApp, found: readonly PodMount[], place: PodPlace): readonly Mount[] {
  const mounts = mountsOfContainer(written.name, found)
  if ((written.app?.eventHandlers ?? []).length === 0) return mounts
  faultHidingShell(mounts, place.at('mounts'))
  return [...mounts, shellMount]
}

function readApp(
  { exec, user, group, supplementaryGIDs = [], workingDirectory = '/', ...app }: App,
  mounts: readonly PodMount[],
  { invalid: spot, unrunnable, changed, isLeftOut }: PodPlace,
): Pick<Container, 'entrypoint' | 'command' | 'user' | 'groupAdd' | 'workingDir' | 'needs'> {
  const [program, ...rest] = exec ?? []
  if (program === '') spot.at('exec', 0).fault('is empty')
  if (program === undefined && !isLeftOut('exec'))
    changed.fault('has no "exec", so what the image runs by itself is run')
  const { environment = [], mountPoints = [], eventHandlers = [] } = app
  faultRepeated(environment, spot.at('environment'))
  faultTaken(environment, spot.at('environment'))
  faultRepeated(mountPoints, spot.at('mountPoints'))
  faultRepeated(app.ports ?? [], spot.at('ports'))
  faultRepeated(eventHandlers, spot.at('eventHandlers'))
  const account = readUser(user, group, { invalid: spot, unrunnable })
  const workingDir =
    workingDirectory === '/' ? '/' : spot.at('workingDirectory').take(parsePath(workingDirectory))
  return present({
    entrypoint: program === undefined ? undefined : [program],
    command: program === undefined ? undefined : rest,
    user: account,
    groupAdd: [...new Set(supplementaryGIDs.map(String))].sort(),
    workingDir,
    needs: needsOf(
      account ?? '0',
      workingDir ?? '/',
      programOf({ ...app, exec: exec ?? [] }, mounts),
      mounts,
    ),
  })
}

/** Notes a fault for variables that mean what Tallyman tells every app, because theirs would not be what runs (C12). */
function faultTaken(environment: readonly { readonly name: string }[], spot: Spot): void {
  environment.forEach(({ name }, index) => {
    if (isTaken(name)) spot.at(index, 'name').fault(`is "${name}", which Tallyman sets itself; leave it out`)
  })
}

/**
 * A name is looked up in the image's own files, and a path stands for its owner, or for its group (C10). A colon stands
 * between the two.
 */
function readUser(user: string, group: string, { invalid, unrunnable }: AppPlace): string | undefined {
  const read = (key: 'user' | 'group', text: string) => {
    if (!text.startsWith('/'))
      return invalid.at(key).take(key === 'user' ? parseLoneUser(text) : parseGroup(text))
    if (text.includes(':')) unrunnable.at(key).fault('is a path with a colon, which no engine is asked for')
    return invalid.at(key).take(parsePath(text))
  }
  const names = [read('user', user), read('group', group)]
  return names.includes(undefined) ? undefined : names.join(':')
}

type AppPlace = Pick<PodPlace, 'invalid' | 'unrunnable'>

/**
 * Returns what the image has to have. A directory below a mount is not one of the image, and nobody knows what is
 * mounted there before it is.
 */
function needsOf(
  user: string,
  directory: string,
  program: NonNullable<Container['needs']>['program'],
  mounts: readonly PodMount[],
): Container['needs'] {
  const isMounted = mounts.some(({ path }) => isWithin(directory, path))
  return present({
    account: user.split(':').every(one => /^\d+$/.test(one)) ? undefined : (true as const),
    workingDir: directory === '/' || isMounted ? undefined : (true as const),
    program,
  })
}
