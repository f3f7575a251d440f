import { createServer, type RequestListener, type Server } from 'node:http'
import { type HttpRequest, request } from '../../lib/request.ts'
import { close, listen } from '../support/network/listen.ts'
import { followedIn, type Room, toldOf } from './followed.ts'

/** A server, and what is asked of it. */
type Scene = {
  readonly server: Server
  answer: RequestListener
  port: number
  query: Omit<HttpRequest, 'url'>
  path: string
}

/** What is told of a request, where nothing more is known of the server. */
const room: Room<Scene> = {
  open: async () => {
    const server = createServer((incoming, response) => scene.answer(incoming, response))
    const scene: Scene = {
      server,
      answer: (_, response) => response.end('well'),
      port: await listen(server),
      query: {},
      path: '/',
    }
    return scene
  },
  look: async ({ port, query, path }) => {
    try {
      const { body } = await request({ url: `http://127.0.0.1:${port}${path}`, ...query }, signal)
      for await (const _ of body);
      return []
    } catch (error) {
      return toldOf(error)
    }
  },
  close: ({ server }) => close(server),
}

const { signal } = new AbortController()
const well: RequestListener = (_, response) => response.end('well')

export const inServers = followedIn(room, [
  {
    code: 'http-unreachable',
    wrong: ({ server }) => close(server),
    follow: {
      'Check the address and the network': async ({ server, port }) => {
        await listen(server, port)
      },
    },
    says: ['tallyman tries again by itself'],
  },
  {
    code: 'http-timeout',
    wrong: scene => {
      scene.answer = () => undefined
      scene.query = { limits: { idleMs: 100 } }
    },
    follow: {
      'Check the server and the network': scene => {
        scene.answer = well
        // The short patience is for the look before: on a busy machine, a server that is well may take longer.
        scene.query = {}
      },
    },
    says: ['tallyman tries again by itself'],
  },
  {
    code: 'http-too-large',
    wrong: scene => {
      scene.answer = ({ url }, response) => response.end(url === '/' ? 'x'.repeat(1_000) : 'well')
      scene.query = { limits: { bytes: 100 } }
    },
    follow: {
      'Correct the address': scene => {
        scene.path = '/other'
      },
    },
  },
  {
    code: 'http-redirect-refused',
    wrong: scene => {
      scene.answer = ({ url }, response) =>
        url === '/'
          ? response.writeHead(302, { location: `http://localhost:${scene.port}/other` }).end()
          : response.end('well')
    },
    follow: {
      'If you trust that host, configure the address that the server redirects to': scene => {
        scene.path = '/other'
      },
    },
  },
])
