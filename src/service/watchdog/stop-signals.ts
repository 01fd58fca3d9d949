import { isatty } from 'node:tty'

const STREAMS = [0, 1, 2]

/**
 * What stops a process. On Windows closing the console is SIGHUP, after which the system waits five seconds, and
 * Ctrl-Break is SIGBREAK. A log-off or a shutdown it tells to services and windows only: those end the process at
 * once, like a power cut, and the next start recovers. Elsewhere SIGHUP is a terminal that is gone, and stops what
 * was shown there: who has taken every stream from it (`nohup`, whose own word for it Node undoes) wants it to go on.
 */
export function stoppingSignals(
  platform: NodeJS.Platform,
  isAtTerminal: boolean,
): readonly NodeJS.Signals[] {
  const always = ['SIGINT', 'SIGTERM'] as const
  if (platform === 'win32') return [...always, 'SIGHUP', 'SIGBREAK']
  return isAtTerminal ? [...always, 'SIGHUP'] : always
}

/** Those of this process. */
export const STOPPING = stoppingSignals(
  process.platform,
  STREAMS.some((stream) => isatty(stream)),
)

/**
 * The end of a terminal at which this process reads and says nothing ends it no more, whatever it does; nor does standard
 * error that takes no more, of which nobody is left to hear.
 */
export function outliveTerminal(): void {
  process.stderr.on('error', () => undefined)
  if (!STOPPING.includes('SIGHUP')) process.on('SIGHUP', () => undefined)
}
