import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import { close, listen } from '../network/listen.ts'

export type GithubAnswer = {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>>
}

export type GithubApi = AsyncDisposable & {
  /** `http://127.0.0.1:8080/api/v3/` */
  readonly url: string
  /** The private key of the one app that it knows. */
  readonly pem: string
  /** What it was asked, and whether the key of the app vouches for that. */
  readonly asked: string[]
  /** What it answers from now on. */
  answer: () => GithubAnswer
}

/** Stands in for GitHub where apps ask for tokens, on a free loopback port; refuses all until it is told otherwise. */
export async function startGithubApi(): Promise<GithubApi> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const server = createServer((incoming, reply) => {
    self.asked.push(told(incoming, publicKey))
    const { status, body, headers } = self.answer()
    reply.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  const self: GithubApi = {
    url: `http://127.0.0.1:${await listen(server)}/api/v3/`,
    pem: privateKey.export({ type: 'pkcs1', format: 'pem' }).toString(),
    asked: [],
    answer: () => ({ status: 404, body: { message: 'Not Found' } }),
    [Symbol.asyncDispose]: () => close(server),
  }
  return self
}

/** The answer with a token that is good for so long. */
export function tokenFor(token: string, minutes: number): GithubAnswer {
  const expiresAt = new Date(Date.now() + minutes * 60_000).toISOString()
  return { status: 201, body: { token, expires_at: expiresAt, permissions: { contents: 'read' } } }
}

function told({ method, url, headers }: IncomingMessage, publicKey: KeyObject): string {
  const [, head = '', body = '', signature = ''] =
    /^Bearer ([^.]+)\.([^.]+)\.([^.]+)$/.exec(headers.authorization ?? '') ?? []
  const { iss, iat, exp } = JSON.parse(Buffer.from(body, 'base64url').toString())
  const genuine = verify(
    'RSA-SHA256',
    Buffer.from(`${head}.${body}`),
    publicKey,
    Buffer.from(signature, 'base64url'),
  )
  return `${method} ${url} by ${iss} for ${(exp - iat) / 60} min: ${genuine ? 'genuine' : 'forged'}`
}
