import { Agent, request } from 'node:http'

/** What became of requests. */
export type Answers = {
  /** How many were answered with 200. */
  readonly answered: number
  /** What was said, each thing once. */
  readonly bodies: ReadonlySet<string>
  /** Of all others: the status or the error, one entry each. */
  readonly failed: readonly string[]
}

/** Requests that go on. */
export type Asking = {
  readonly so: () => Answers
  /** No new ones; resolves when those under way have ended. */
  readonly end: () => Promise<Answers>
}

export type Asked = {
  readonly port: number
  readonly host: string
  readonly path: string
  /** How many at a time, each over a connection of its own that is kept; 16 unless told. */
  readonly clients?: number
}

/** One request, whatever the answer. */
export function ask(
  { port, host, path }: Asked,
  agent?: Agent,
): Promise<{
  readonly status: number
  readonly body: string
  readonly headers: NodeJS.Dict<string | string[]>
}> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path,
      headers: { host },
      ...(agent === undefined ? {} : { agent }),
    }
    const call = request(options, answer => {
      const parts: Buffer[] = []
      answer.on('data', part => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          body: Buffer.concat(parts).toString(),
          headers: answer.headers,
        }),
      )
    })
    call.setTimeout(30_000, () => call.destroy(new Error('no answer within 30 s')))
    call.on('error', reject).end()
  })
}

/** Asks again and again until it is told to end. */
export function keepAsking(asked: Asked): Asking {
  const { clients = 16 } = asked
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const bodies = new Set<string>()
  const failed: string[] = []
  let answered = 0
  let isOver = false
  const client = async () => {
    while (!isOver) {
      try {
        const { status, body } = await ask(asked, agent)
        if (status === 200) answered += 1
        else failed.push(`status ${status}`)
        if (status === 200) bodies.add(body)
      } catch (error) {
        failed.push(String(error))
      }
    }
  }
  const all = Promise.all(Array.from({ length: clients }, client))
  const so = () => ({ answered, bodies: new Set(bodies), failed: [...failed] })
  return {
    so,
    end: async () => {
      isOver = true
      await all
      agent.destroy()
      return so()
    },
  }
}
