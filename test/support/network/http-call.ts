import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http'

/** An HTTP answer with its whole body. */
export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** One HTTP request over TCP or a unix socket; rejects only when there is no answer at all. */
export function httpCall(options: RequestOptions, body?: Buffer | string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // A connection of its own: one that is kept may be closed at the very moment it is used again.
    const sent = request({ agent: false, ...options }, answer => {
      const parts: Buffer[] = []
      answer.on('data', part => parts.push(part))
      answer.on('error', reject)
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }),
      )
    })
    sent.on('error', error => {
      const { method = 'GET', path = '/' } = options
      reject(new Error(`${method} ${path}: ${error.message}`, { cause: error }))
    })
    if (body !== undefined) sent.setHeader('content-length', Buffer.byteLength(body))
    sent.end(body)
  })
}
