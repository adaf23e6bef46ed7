// Drives `tengen gtp` through @sabaki/gtp, the library that Sabaki talks to engines with.
//
//   node scripts/try_sabaki.js tengen gtp --net tengen --visits 50
//
// Needs `npm install @sabaki/gtp` in the current folder (docs/development.md). The pipe stays open throughout. Exit code
// 1 if an answer is not as Sabaki expects it, if the engine writes to standard error, or if it does not end.

const {createRequire} = require('module')
const {Controller} = createRequire(process.cwd() + '/')('@sabaki/gtp')

const [path, ...args] = process.argv.slice(2)
const noise = []

function check(is, what) {
  console.log(is ? 'ok ' : 'NOT', what)
  if (!is) process.exitCode = 1
}

function start() {
  const engine = new Controller(path, args)
  engine.on('stderr', ({content}) => noise.push(content))
  engine.start()
  return engine
}

async function ask(engine, name, ...args) {
  const answer = await engine.sendCommand({name, args})
  check(!answer.error, `${name} ${args.join(' ')}: ${answer.content.split('\n')[0].slice(0, 60)}`)
  return answer.content
}

// Starts an analysis, waits for three reports, and sends the command that ends it.
async function analyse(engine, name, next) {
  let reports = 0
  await new Promise(resolve => {
    const whole = engine.sendCommand({name, args: ['B', '10']}, ({line}) => {
      if (line.startsWith('info move') && ++reports === 3) resolve(next().then(() => whole))
    })
  })
  check(reports >= 3, `${name}: ${reports} reports`)
}

function stopped(engine) {
  const process_ = engine.process
  return new Promise(resolve => process_.once('exit', (code, signal) => resolve({code, signal})))
}

async function main() {
  const engine = start()
  for (const name of ['name', 'version', 'protocol_version']) await ask(engine, name)
  const commands = (await ask(engine, 'list_commands')).split('\n')
  check(['analyze', 'genmove_analyze', 'set_position'].every(c => commands.includes(c)), 'Sabaki finds its commands')
  await ask(engine, 'boardsize', '19')
  await ask(engine, 'komi', '6.5')
  await ask(engine, 'play', 'B', 'Q16')
  for (const name of ['analyze', 'lz-analyze', 'kata-analyze'])
    await analyse(engine, name, () => ask(engine, 'stop'))
  await ask(engine, 'genmove_analyze', 'W', '10')
  await ask(engine, 'genmove', 'B')
  await ask(engine, 'undo')
  let end = stopped(engine)
  await analyse(engine, 'analyze', () => engine.stop())
  let how = await end
  check(how.code === 0, `stop() while analysing: exit code ${how.code}, signal ${how.signal}`)

  const second = start()
  await ask(second, 'name')
  end = stopped(second)
  await second.kill()
  how = await end
  check(how.signal === 'SIGTERM', `kill(): exit code ${how.code}, signal ${how.signal}`)
  check(noise.length === 0, `standard error: ${noise.join(' ') || 'nothing'}`)
}

main().catch(error => {
  console.log('NOT', error)
  process.exit(1)
})
