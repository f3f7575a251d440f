/**
 * Returns the name of an ingress's container that has loaded a configuration. The engine is the only place that records
 * it.
 */
export function loadedName(engineName: string, mark: string): string {
  return `${baseName(engineName)}.routes-${mark}`
}

/** Returns the mark of the configuration that a container of this name has loaded; undefined if there is none. */
export function loadedMark(engineName: string): string | undefined {
  return loaded.exec(engineName)?.[1]
}

/** Returns the name without the mark. */
export function baseName(engineName: string): string {
  return engineName.replace(loaded, '')
}

const loaded = /\.routes-([0-9a-f]{8})$/
