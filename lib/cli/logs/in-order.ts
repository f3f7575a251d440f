/**
 * Merges streams whose entries are each in order of time, and yields all entries in that order. Has one entry of each
 * stream in memory. Of entries of the same time, that of the earlier stream comes first.
 */
export async function* inOrder<T extends { readonly at: string }>(
  streams: readonly AsyncIterable<T>[],
): AsyncGenerator<T> {
  const sources = streams.map(stream => stream[Symbol.asyncIterator]())
  try {
    let heads = (await Promise.all(sources.map(headOf))).filter(head => head !== undefined)
    for (let first = firstOf(heads); first !== undefined; first = firstOf(heads)) {
      yield first.value
      const { source } = first
      const next = await headOf(source)
      heads = heads.flatMap(head => (head.source === source ? (next ?? []) : head))
    }
  } finally {
    await Promise.all(sources.map(source => source.return?.()))
  }
}

type Head<T> = { readonly source: AsyncIterator<T>; readonly value: T }

async function headOf<T>(source: AsyncIterator<T>): Promise<Head<T> | undefined> {
  const { done, value } = await source.next()
  return done === true ? undefined : { source, value }
}

function firstOf<T extends { readonly at: string }>(heads: readonly Head<T>[]): Head<T> | undefined {
  return heads.reduce<Head<T> | undefined>(
    (first, head) => (first === undefined || head.value.at < first.value.at ? head : first),
    undefined,
  )
}
