import type { Container, Image, Mount } from '../../state/application/container.ts'
import { parsePath } from '../grammar/path.ts'
import { parseGroup } from '../grammar/user.ts'
import { present } from '../present.ts'
import { defaults } from '../read/container.ts'
import { faultAnnotations, faultLabels, faultRepeated } from './annotations.ts'
import { faultHidingShell, readHandlers, shellMount } from './handlers.ts'
import { boundsOf } from './isolators/bounds.ts'
import type { NamedIsolator } from './isolators/isolator.ts'
import { mountsOfContainer, type PodMount } from './mounts.ts'
import type { PodPlace } from './place.ts'
import type { App, PodApp } from './pod.gen.ts'

/** What the pod decides for its apps. */
export type PodSurroundings = {
  readonly image: Image
  readonly mounts: readonly PodMount[]
  readonly podIsolators: readonly NamedIsolator[]
  readonly isolators: readonly NamedIsolator[]
  /** How long the main program has to run to count as healthy. */
  readonly healthyMs: number
  /** What happens when it ends. */
  readonly ending: Pick<Container, 'restart' | 'mayEnd'>
}

/** Where programs are looked up in an app with a section of its own. All others have what their image says (C12, X16). */
const searchPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Returns the container of an app. Its `app` replaces what the image says of itself completely (C5). */
export function appContainer(
  written: PodApp,
  { image, mounts, podIsolators, isolators, healthyMs, ending }: PodSurroundings,
  place: PodPlace,
): Container {
  const { name, app, readOnlyRootFS: readOnly, annotations = [] } = written
  faultAnnotations(annotations, place.invalid.at('annotations'))
  faultLabels(written.image.labels ?? [], place.invalid.at('image', 'labels'))
  return {
    name,
    image,
    ...defaults,
    ...ending,
    ...(app === undefined
      ? {}
      : { ...readApp(app, place.at('app')), ...readHandlers(app, healthyMs, place.at('app')) }),
    ...present({
      env: {
        ...(app === undefined ? {} : { PATH: searchPath }),
        ...Object.fromEntries((app?.environment ?? []).map(({ name, value }) => [name, value])),
        AC_APP_NAME: name,
        container: 'tallyman',
      },
      mounts: mountsOf(written, mounts, place),
      readOnly: readOnly === true ? true : undefined,
    }),
    ...boundsOf({ pod: podIsolators, app: isolators }, place.unrunnable.at('app', 'isolators')),
  }
}

function mountsOf(written: PodApp, found: readonly PodMount[], place: PodPlace): readonly Mount[] {
  const mounts = mountsOfContainer(written.name, found)
  if ((written.app?.eventHandlers ?? []).length === 0) return mounts
  faultHidingShell(mounts, place.at('mounts'))
  return [...mounts, shellMount]
}

function readApp(
  { exec, user, group, supplementaryGIDs = [], workingDirectory = '/', ...app }: App,
  { invalid: spot, unrunnable, changed }: PodPlace,
): Pick<Container, 'entrypoint' | 'command' | 'user' | 'groupAdd' | 'workingDir'> {
  const [program, ...rest] = exec ?? []
  if (program === '') spot.at('exec', 0).fault('is empty')
  if (program === undefined) changed.fault('has no "exec", so what the image runs by itself is run')
  const { environment = [], mountPoints = [], eventHandlers = [] } = app
  faultRepeated(environment, spot.at('environment'))
  faultRepeated(mountPoints, spot.at('mountPoints'))
  faultRepeated(app.ports ?? [], spot.at('ports'))
  faultRepeated(eventHandlers, spot.at('eventHandlers'))
  return present({
    entrypoint: program === undefined ? undefined : [program],
    command: program === undefined ? undefined : rest,
    user: readUser(user, group, { invalid: spot, unrunnable }),
    groupAdd: [...new Set(supplementaryGIDs.map(String))].sort(),
    workingDir:
      workingDirectory === '/' ? '/' : spot.at('workingDirectory').take(parsePath(workingDirectory)),
  })
}

/** Names are looked up in the image's own files by the engine, which refuses to start what it does not find (C10). */
function readUser(
  user: string,
  group: string,
  { invalid, unrunnable }: Pick<PodPlace, 'invalid' | 'unrunnable'>,
): string | undefined {
  for (const [key, text] of [
    ['user', user],
    ['group', group],
  ] as const)
    if (text.startsWith('/')) {
      unrunnable
        .at(key)
        .fault('means the owner of a path, which is not supported yet; write a number or a name')
      return undefined
    }
  const names = [invalid.at('user').take(parseGroup(user)), invalid.at('group').take(parseGroup(group))]
  return names.includes(undefined) ? undefined : names.join(':')
}
