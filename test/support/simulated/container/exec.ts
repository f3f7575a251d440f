import { newId } from '../server/ids.ts'
import { conflict, missing } from '../server/refusal.ts'
import { surroundingsOf } from '../surroundings.ts'
import { type Container, type Daemon, type Exec, tell } from './container.ts'
import { notFound } from './health.ts'
import { programNamed } from './image-programs.ts'
import { framed } from './logs.ts'
import { runAtOnce } from './process.ts'

/** Prepares a program to be executed in a container that runs. */
export function createExec(daemon: Daemon, container: Container, command: readonly string[]): Exec {
  const { id, name, state } = container
  if (state.status === 'paused')
    throw conflict(`Container ${name} is paused, unpause the container before exec`)
  if (state.status !== 'running') throw conflict(`Container ${id} is not running`)
  const exec: Exec = { id: newId(), container, command, exitCode: null }
  daemon.execs.set(exec.id, exec)
  tell(daemon, container, `exec_create: ${command.join(' ')}`, { execID: exec.id })
  return exec
}

export function getExec(daemon: Daemon, id: string): Exec {
  const exec = daemon.execs.get(id)
  if (exec === undefined) throw missing(`No such exec instance: ${id}`)
  return exec
}

/** Runs the program to its end. Returns its output as the engine sends it. */
export function startExec(daemon: Daemon, exec: Exec): Buffer {
  const { id, container, command } = exec
  tell(daemon, container, `exec_start: ${command.join(' ')}`, { execID: id })
  const program = programNamed(container.image, command) ?? notFound(command[0] ?? '')
  const { output, exitCode } = runAtOnce(program, surroundingsOf(daemon, container))
  exec.exitCode = exitCode
  tell(daemon, container, 'exec_die', { execID: id, exitCode: String(exitCode) })
  return output === '' ? Buffer.alloc(0) : framed('stdout', output)
}
