import { finished, type Readable } from 'node:stream'

/**
 * Calls back for each piece of a stream, and resolves at its end. Rejects if the stream breaks, and if the callback fails,
 * which destroys the stream; it is not called again then. A `for await` over the stream keeps several times as much in
 * memory for as long as it waits, and a daemon listens to a stream of every site.
 */
export function eachChunk<Chunk>(stream: Readable, onChunk: (chunk: Chunk) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const hear = (chunk: Chunk) => {
      try {
        onChunk(chunk)
      } catch (error) {
        // What was read ahead is told all the same.
        stream.off('data', hear)
        stream.destroy(error instanceof Error ? error : new Error(String(error)))
      }
    }
    stream.on('data', hear)
    finished(stream, { writable: false }, error => (error ? reject(error) : resolve()))
  })
}
