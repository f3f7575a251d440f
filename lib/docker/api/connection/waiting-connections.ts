import type { Agent, ClientRequest } from 'node:http'
import type { Duplex } from 'node:stream'

/** The connections of a process that wait for their next call, over all its sites. Each takes an open file. */
export type WaitingConnections = {
  /** Lets a connection wait, if need be in the place of the one that has waited longest. False: none may wait. */
  keep(connection: Duplex): boolean
  /** It does not wait any more. */
  take(connection: Duplex): void
  /** Closes those that have waited longest, until no more wait than may. */
  makeRoom(): void
}

/**
 * Lets so many connections wait as `most` says at each moment. What a site asks for comes in a row, so it is of more use
 * to keep the connections that were used last.
 */
export function createWaiting(most: () => number): WaitingConnections {
  /** In the order in which they began to wait. */
  const all = new Set<Duplex>()
  const take = (connection: Duplex) => {
    all.delete(connection)
    connection.off('close', onClose)
  }
  function onClose(this: Duplex): void {
    all.delete(this)
  }
  const makeRoom = () => {
    const limit = most()
    for (const connection of all) {
      if (all.size <= limit) return
      take(connection)
      connection.destroy()
    }
  }
  return {
    keep(connection) {
      if (most() < 1) {
        makeRoom()
        return false
      }
      all.add(connection)
      connection.once('close', onClose)
      makeRoom()
      return true
    },
    take,
    makeRoom,
  }
}

/** Has the connections of an agent wait only where there is room. Returns the agent. */
export function keepingIn(waiting: WaitingConnections, agent: Agent): Agent {
  const { keepSocketAlive, reuseSocket } = agent
  return Object.assign(agent, {
    keepSocketAlive: (socket: Duplex) => waiting.keep(socket) && keepSocketAlive.call(agent, socket),
    reuseSocket(socket: Duplex, request: ClientRequest) {
      waiting.take(socket)
      reuseSocket.call(agent, socket, request)
    },
  })
}
