import type { Socket } from 'node:net'

/**
 * What each address may occupy at the same time, so that one pod cannot keep the service from the others. A pod has an
 * address of its own.
 */
export const peerLimits = {
  connections: 256,
  /** Of the bodies of requests that are not answered yet, and of answers that are not received yet. */
  bytes: 8 * 1024 * 1024,
  /** The same of all addresses together, so that the service stays within its memory. */
  allBytes: 64 * 1024 * 1024,
} as const

/** Invariant: an address is known exactly as long as it has a connection. */
export type Peers = {
  /** Counts a connection until it ends. Returns false if its address has too many. */
  admit(socket: Socket): boolean
  /** Counts bytes until they are given back, even after the connection has ended. Returns false if they are too many. */
  take(socket: Socket, bytes: number): boolean
  giveBack(socket: Socket, bytes: number): void
}

type Peer = { connections: number; bytes: number }

export function createPeers(): Peers {
  const bySocket = new WeakMap<Socket, Peer>()
  const byAddress = new Map<string, Peer>()
  let allBytes = 0
  return {
    admit(socket) {
      const address = socket.remoteAddress ?? ''
      const peer = byAddress.get(address) ?? { connections: 0, bytes: 0 }
      if (peer.connections >= peerLimits.connections) return false
      byAddress.set(address, peer)
      bySocket.set(socket, peer)
      peer.connections += 1
      socket.once('close', () => {
        peer.connections -= 1
        if (peer.connections === 0) byAddress.delete(address)
      })
      return true
    },
    take(socket, bytes) {
      const peer = bySocket.get(socket)
      if (peer === undefined || peer.bytes + bytes > peerLimits.bytes) return false
      if (allBytes + bytes > peerLimits.allBytes) return false
      peer.bytes += bytes
      allBytes += bytes
      return true
    },
    giveBack(socket, bytes) {
      const peer = bySocket.get(socket)
      if (peer === undefined) return
      peer.bytes -= bytes
      allBytes -= bytes
    },
  }
}
