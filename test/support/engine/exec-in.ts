import { namedIfItHangs } from '../time/hangs.ts'
import { engineCall } from './engine-call.ts'

/** What a shell in a running container prints for a line to both its outputs. */
export async function execIn(socket: string, container: string, line: string): Promise<string> {
  const made = await engineCall(socket, 'POST', `/containers/${container}/exec`, {
    AttachStdout: true,
    AttachStderr: true,
    Cmd: ['sh', '-c', line],
  })
  if (made.status !== 201) throw new Error(`exec in ${container}: ${made.body.toString()}`)
  const { Id }: { readonly Id: string } = JSON.parse(made.body.toString())
  const started = engineCall(socket, 'POST', `/exec/${Id}/start`, { Detach: false, Tty: false })
  const answer = await namedIfItHangs(started, async () => {
    const [exec, processes] = await Promise.all(
      [`/exec/${Id}/json`, `/containers/${container}/top`].map(path => engineCall(socket, 'GET', path)),
    )
    return `no end of ${line}\n${exec?.body.toString()}\n${processes?.body.toString()}`
  })
  return unframed(answer.body)
}

/** The engine frames each piece of output: one byte says which, four how long it is. */
function unframed(body: Buffer): string {
  const parts: Buffer[] = []
  for (let at = 0; at + 8 <= body.length; ) {
    const length = body.readUInt32BE(at + 4)
    parts.push(body.subarray(at + 8, at + 8 + length))
    at += 8 + length
  }
  return Buffer.concat(parts).toString()
}
