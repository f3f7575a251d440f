import { isOurs, leaves, placeOf, sources } from '../support/files/sources.ts'

/** Who imports whom in lib, folders and the files beside them, as a table of Markdown without the leaves. */
export function importTable(): string {
  const places = Map.groupBy(sources, ({ place }) => place)
  const rows = [...places]
    .filter(([from]) => !leaves.includes(from))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([from, files]) => {
      const to = files.flatMap(({ imports }) => imports.filter(isOurs).map(placeOf))
      const names = new Set(to.filter(one => one !== from && !leaves.includes(one)))
      return `| \`${from}\` | ${
        [...names]
          .toSorted()
          .map(name => `\`${name}\``)
          .join(', ') || 'nothing'
      } |`
    })
  return ['| place | imports |', '|---|---|', ...rows].join('\n')
}
