/** Whether a file has the name of a manifest or a specification. */
export function isDocumentName(name: string): boolean {
  return /\.(ya?ml|json)$/.test(name)
}

/** Whether a file was probably meant to be a document, although its name is not read. */
export function isNearlyDocumentName(name: string): boolean {
  return !isDocumentName(name) && /\.(ya?ml|json)$/i.test(name)
}

/** The directories that are looked for in a repository. */
export type LayoutName = 'applications' | 'deployments' | 'environments' | 'sites'

/** Whether a name was probably meant to be that of such a directory, and is not. */
export function isNearly(name: string, meant: LayoutName): boolean {
  return name !== meant && [meant, meant.slice(0, -1)].includes(name.toLowerCase())
}

/** Whether a file or directory can change the desired state, or cause a warning. Its path is that in the repository. */
export function isLookedFor(path: string): boolean {
  const [name = '', parent, above, ...places] = path.split('/').reverse()
  const isOfSites = parent === 'sites' && places[0] === 'environments'
  const isOfSite = above === 'sites' && places[1] === 'environments' && isLikePartOfSite(name)
  return (
    isDocumentName(name) ||
    isNearlyDocumentName(name) ||
    layoutNames.some(meant => name === meant || isNearly(name, meant)) ||
    isOfSites ||
    isOfSite
  )
}

/** Whether something in the directory of a site looks as if it was read, whatever its ending. */
export function isLikePartOfSite(name: string): boolean {
  return /^(manifest|secret|variable|application|deployment)s?(\.(ya?ml|json))?$/i.test(name)
}

const layoutNames: readonly LayoutName[] = ['applications', 'deployments', 'environments', 'sites']

/** Returns the name of what a document describes: the name of its file without the ending, in whatever case. */
export function documentNameOf(file: string): string {
  return file.replace(/\.(ya?ml|json)$/i, '')
}
