import type { NamedText } from '../../../state/application/pod/pod.ts'
import type { ImageDeclaration } from '../../../state/image/declaration.ts'
import { isReserved } from '../../../state/labels.ts'
import { byText } from '../../../text/order.ts'
import { annotationFault } from '../annotations.ts'

/** Names of the specification for what labels of images say under names of their own. */
const names: Readonly<Record<string, string>> = {
  'org.opencontainers.image.authors': 'authors',
  'org.opencontainers.image.created': 'created',
  'org.opencontainers.image.documentation': 'documentation',
  'org.opencontainers.image.url': 'homepage',
}

/**
 * Returns the annotations of an image: its labels, as far as they are annotations of the specification (C55, C56), and
 * what some of them are called there. Those that begin with `tallyman/` are for manifests to say, and
 * `tallyman.` begins the names of Tallyman's own labels.
 */
export function imageAnnotations({ labels = [] }: ImageDeclaration): readonly NamedText[] {
  const taken = new Set(labels.map(({ name }) => name))
  const renamed = labels.flatMap(({ name, value }) => {
    const other = Object.hasOwn(names, name) ? names[name] : undefined
    return other === undefined || taken.has(other) ? [] : [{ name: other, value }]
  })
  return [...labels, ...renamed]
    .filter(one => isIdentifier(one.name) && !one.name.startsWith('tallyman/') && !isReserved(one.name))
    .filter(one => annotationFault(one) === undefined)
    .toSorted(byText(({ name }) => name))
}

const longest = 255

function isIdentifier(name: string): boolean {
  return name.length <= longest && /^[a-z0-9]([a-z0-9._~/-]*[a-z0-9])?$/.test(name)
}
