/** The name that our own ingress's container bears once it has loaded a configuration: the engine is where that is kept. */
export function loadedName(engineName: string, mark: string): string {
  return `${baseName(engineName)}.routes-${mark}`
}

/** The mark of the configuration that a container of this name has loaded; undefined: none. */
export function loadedMark(engineName: string): string | undefined {
  return loaded.exec(engineName)?.[1]
}

/** In front of the mark, in the configuration that the operator's own ingress has loaded. */
export const loadedId = 'tallyman-routes-'

/** The name without what it has loaded. */
export function baseName(engineName: string): string {
  return engineName.replace(loaded, '')
}

const loaded = /\.routes-([0-9a-f]{8})$/
