// Preloaded into the npm of a set-up, which holds the other end of the line: npm ends with it, however it ended.
// Plain JavaScript for any Node from 18 on.
'use strict'

process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.channel?.unref() // npm is not kept by it
