import { Duplex } from 'node:stream'
import type { ClientChannel } from 'ssh2'
import { later, type Timer } from '../../../wait/timer.ts'
import type { CommandEnd } from './refusal.ts'

/** A channel to an engine. */
export type EngineChannel = {
  readonly channel: ClientChannel
  /** Why a command ended before it handed on anything of the engine; absent if no command runs. */
  readonly refusal?: (end: CommandEnd) => Error
  /** Called when the first bytes of the engine arrive. */
  readonly onAnswer?: () => void
}

/**
 * A channel of an SSH connection in the form of a socket, which Node's HTTP client uses like any other.
 * - It can be written to at once. What is written waits until the channel is open.
 * - It ends when the engine has nothing more to say, or with the channel, and breaks if the channel cannot be opened.
 *   Destroying it closes the channel.
 */
export class ChannelSocket extends Duplex {
  /** Milliseconds without a byte until `timeout` is emitted, which Node's agent closes a waiting socket for. */
  readonly timeout: number
  readonly #idle: Timer
  #channel: ClientChannel | undefined
  #hasEnded = false
  readonly #opened: Promise<ClientChannel | undefined>

  constructor(open: (socket: ChannelSocket) => Promise<EngineChannel>, idleMs: number) {
    super({ allowHalfOpen: false })
    this.timeout = idleMs
    this.#idle = later(idleMs, () => this.emit('timeout'))
    this.#idle.unref()
    this.#opened = open(this).then(
      opened => this.#attach(opened),
      error => {
        this.destroy(error)
        return undefined
      },
    )
  }

  #attach({ channel, refusal, onAnswer }: EngineChannel): ClientChannel | undefined {
    if (this.destroyed) {
      channel.on('error', () => undefined).close()
      return undefined
    }
    this.#channel = channel
    let hasAnswered = false
    let said = ''
    let code: number | undefined
    channel.stderr.on('data', chunk => {
      said = (said + String(chunk)).slice(0, mostSaid)
    })
    channel
      .on('data', (chunk: Buffer) => {
        if (!hasAnswered) onAnswer?.()
        hasAnswered = true
        this.#idle.again()
        if (!this.push(chunk)) channel.pause()
      })
      .on('error', (error: Error) => this.destroy(error))
      .on('exit', (status: unknown) => {
        if (typeof status === 'number') code = status
      })
      // The engine is gone, or has nothing more to say. A channel that was forwarded is closed only once both sides have
      // ended, and whoever waits for an answer has not.
      .on('end', () => {
        if (refusal === undefined) this.#end()
      })
      // How a command ended is told between its last output and the end of its channel.
      .on('close', () => {
        if (refusal !== undefined && !hasAnswered) this.destroy(refusal({ code, said }))
        else this.#end()
      })
    return channel
  }

  /** Ends once what has arrived is read. */
  #end(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.push(null)
    if (this.readableLength === 0) this.destroy()
  }

  override _read(): void {
    this.#channel?.resume()
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#idle.again()
    if (this.#channel !== undefined) this.#channel.write(chunk, done)
    else this.#opened.then(channel => channel?.write(chunk, done))
  }

  override _final(done: () => void): void {
    this.#channel?.end()
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#idle.cancel()
    this.#channel?.close()
    done(error)
  }

  /** Node asks a socket for these. Its limit is set above, and its connection does the rest for all channels. */
  readonly setTimeout = (): this => this
  readonly setKeepAlive = (): this => this
  readonly setNoDelay = (): this => this
  readonly ref = (): this => this
  readonly unref = (): this => this
}

const mostSaid = 4_096
