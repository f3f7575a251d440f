/** Where a value stands in the text of a JSON document: from its first character to behind its last one. */
export type JsonNode = {
  readonly start: number
  readonly end: number
  /** Where its key begins, of a member of an object. */
  readonly keyStart?: number
  /** The members of an object by key, as they are written one after the other. */
  readonly members?: ReadonlyMap<string, JsonNode>
  /** The elements of a list. */
  readonly items?: readonly JsonNode[]
}

/** Returns where everything stands in a text that `parseJson` has accepted. */
export function jsonNodes(text: string): JsonNode {
  const pattern = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s,:"{}[\]]+/g
  const next = (): { readonly word: string; readonly start: number; readonly end: number } => {
    const found = pattern.exec(text)
    return { word: found?.[0] ?? '', start: found?.index ?? text.length, end: pattern.lastIndex }
  }
  const valueAt = ({ word, start, end }: ReturnType<typeof next>): JsonNode => {
    if (word === '{') return objectFrom(start)
    if (word === '[') return listFrom(start)
    return { start, end }
  }
  const objectFrom = (start: number): JsonNode => {
    const members = new Map<string, JsonNode>()
    for (let token = next(); ; token = next()) {
      if (token.word === '}' || token.word === '') return { start, end: token.end, members }
      if (token.word === ',') continue
      // The colon.
      next()
      members.set(String(JSON.parse(token.word)), { ...valueAt(next()), keyStart: token.start })
    }
  }
  const listFrom = (start: number): JsonNode => {
    const items: JsonNode[] = []
    for (let token = next(); ; token = next()) {
      if (token.word === ']' || token.word === '') return { start, end: token.end, items }
      if (token.word !== ',') items.push(valueAt(token))
    }
  }
  return valueAt(next())
}
