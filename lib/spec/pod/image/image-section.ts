import type { NamedText, ReifiedSection } from '../../../state/application/pod/pod.ts'
import type { ImageDeclaration } from '../../../state/image/declaration.ts'
import { readReference } from '../../../state/image/reference.ts'
import { freeName } from '../grammar/free-name.ts'
import { sanitizedName } from '../grammar/sanitize.ts'
import { platformLabels } from '../platform.ts'

/**
 * Returns what an image says of how it runs as a section of the specification (C56). Images name neither ports nor
 * volumes, so they are named as other converters do: `8080-tcp`, `volume-var-lib-work`.
 */
export function declaredSection(declared: ImageDeclaration): ReifiedSection {
  const { entrypoint, command, env, user: account, workingDir, ports, volumes } = declared
  const [user = '', group = ''] = account.split(':', 2)
  const exec = [...entrypoint, ...command]
  return {
    ...(exec.length === 0 ? {} : { exec }),
    user: user || '0',
    group: group || '0',
    supplementaryGIDs: [],
    workingDirectory: workingDir || '/',
    environment: env.map(variable),
    eventHandlers: [],
    mountPoints: volumeNames(volumes).map(([path, name]) => ({ name, path, readOnly: false })),
    ports: ports.map(({ port, protocol }) => ({
      name: `${port}-${protocol}`,
      ...{ protocol, port, count: 1, socketActivated: false },
    })),
    isolators: [],
  }
}

function variable(text: string): NamedText {
  const at = text.indexOf('=')
  return at < 0 ? { name: text, value: '' } : { name: text.slice(0, at), value: text.slice(at + 1) }
}

/** Returns each path with a name of its own, which volumes of a pod can have. */
function volumeNames(paths: readonly string[]): readonly (readonly [path: string, name: string])[] {
  const taken = new Set<string>()
  return paths.map(path => {
    const name = freeName(sanitizedName(`volume${path}`) ?? 'volume', taken, 1)
    taken.add(name)
    return [path, name]
  })
}

/** Returns the labels of an image: those that a manifest names, and what else is known of its version and platform. */
export function declaredLabels(
  written: readonly NamedText[],
  reference: string,
  declared: ImageDeclaration | undefined,
): readonly NamedText[] {
  const read = readReference(reference)
  const version = read.ok ? read.value.tag : undefined
  const known = [
    ...(version === undefined ? [] : [{ name: 'version', value: version }]),
    ...(declared?.platform === undefined ? [] : platformLabels(declared.platform)),
  ]
  const names = new Set(written.map(({ name }) => name))
  return [...written, ...known.filter(({ name }) => !names.has(name))]
}
