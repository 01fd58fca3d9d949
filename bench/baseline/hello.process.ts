import { serveBytes } from './uws.ts'

/** The least that a service does at its start: listen, and say so. */
const bare = await serveBytes(Buffer.from('{}'), {})
process.stdout.write('ready\n')
const stop = (): void => {
  bare.close()
  process.exit(0)
}
process.on('SIGTERM', stop)
process.on('disconnect', stop)
