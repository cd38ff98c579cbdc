"""Runs every system of a list of published figures and writes them next to ours, as a Markdown table.

usage: reproduce.py [LIST] [--binary FILE] [--out FOLDER] [--offline]

LIST is a TOML file like reproduce.toml, which explains its keys; paths in it are relative to its folder. Exits with 1 if a system
fails or a figure is outside its tolerance. Needs Python 3.11 and nothing else.
"""
import argparse, decimal, json, pathlib, subprocess, sys, tomllib

HERE = pathlib.Path(__file__).resolve().parent
SYSTEM_KEYS = {'data', 'name', 'source', 'config', 'set', 'published', 'tolerance', 'why'}


def load(path):
    """The list, with its figures as decimals so that they print as they were written."""
    with open(path, 'rb') as file:
        listed = tomllib.load(file, parse_float=decimal.Decimal)
    for system in listed['system']:
        name = system.get('name')
        if unknown := system.keys() - SYSTEM_KEYS:
            sys.exit(f'error: unknown key `{min(unknown)}` of system `{name}` in {path}')
        figures = [*system.get('published', {}).values(), system.get('tolerance', decimal.Decimal(0))]
        if len(figures) < 2 or any(figure < 0 for figure in figures):
            sys.exit(f'error: system `{name}` in {path} needs published figures, and no figure or tolerance below 0')
    return listed


def means(system, folder, arguments):
    """Runs one system. Returns the mean and n of each published metric, or the reason why there are none."""
    command = [arguments.binary, 'run', folder / system['config'], '--json', '--out', arguments.out]
    for setting in [*system.get('set', []), f"evaluation.metrics={json.dumps(list(system['published']))}"]:
        command += ['--set', setting]
    command += ['--offline'] * arguments.offline
    print(f"{system['data']}: {system['name']}", file=sys.stderr)
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        sys.stderr.write(run.stderr)
        errors = [line for line in run.stderr.splitlines() if line.startswith('error: ')]
        return None, 'it failed here: ' + (errors or [f'exit code {run.returncode}'])[-1].removeprefix('error: ')
    found = {name: metric for name, metric in json.loads(run.stdout)['metrics'].items() if metric['n']}
    missing = [name for name in system['published'] if name not in found]
    if missing:
        return None, f'it failed here: no value for {missing[0]}'
    return {name: (found[name]['mean'], found[name]['n']) for name in system['published']}, None


def rows(listed, folder, arguments):
    """One row for each published figure, in the order of the list."""
    for system in listed['system']:
        ours, failure = means(system, folder, arguments) if 'config' in system else (None, None)
        for metric, published in system['published'].items():
            mean, n = ours[metric] if ours else (None, None)
            tolerance = system.get('tolerance')
            judged = mean is not None and tolerance is not None
            yield {
                'data': system['data'], 'system': f"{system['name']} ({system['source']})", 'metric': metric,
                'published': float(published), 'mean': mean, 'n': n, 'tolerance': tolerance,
                'met': abs(mean - float(published)) <= float(tolerance) if judged else None,
                'why': failure or system.get('why', ''), 'failed': failure is not None,
            }


def escaped(text):
    """Markdown text that cannot open a cell, a tag, a link or code."""
    text = ' '.join(text.split()).replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')
    return ''.join('\\' + c if c in '\\|*[]' else c for c in text)


def line(row):
    """A row of the table: four digits, or six if the published figure is below .01."""
    digits = 6 if row['published'] < .01 else 4
    n, ours, difference, within = '', 'not reproduced', '', ''
    if row['mean'] is not None:
        n, ours = row['n'], f"{row['mean']:.{digits}f}"
        difference = f"{row['mean'] - row['published']:+.{digits}f}"
        difference = difference if difference.strip('+-0.') else '0'
    if row['met'] is not None:
        within = f"{'yes' if row['met'] else 'NO'}, {row['tolerance']:f}"
    cells = [escaped(row['data']), escaped(row['system']), row['metric'], n, f"{row['published']:.{digits}f}", ours, difference,
             within, escaped(row['why'])]
    return f"| {' | '.join(map(str, cells))} |\n"


def render(introduction, made_by, table):
    judged = [row['met'] for row in table if row['met'] is not None]
    left = sum(row['mean'] is None for row in table)
    return (f'# Published results and ours\n\n{introduction.strip()}\n\n{made_by}\n\n'
            '| data | system | metric | n | published | ours | difference | within | why |\n'
            '|---|---|---|--:|--:|--:|--:|---|---|\n' + ''.join(map(line, table)) +
            f'\n{sum(judged)} of {len(judged)} results with a tolerance are reproduced; {left} were not reproduced.\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('list', nargs='?', type=pathlib.Path, default=HERE / 'reproduce.toml', metavar='LIST')
    parser.add_argument('--binary', default=HERE.parent / 'target/release/ragtriage', help='the program [target/release/ragtriage]')
    parser.add_argument('--out', type=pathlib.Path, default=HERE / 'runs', help='where run folders are created [evals/runs]')
    parser.add_argument('--offline', action='store_true', help='refuse every connection that is not to this machine')
    arguments = parser.parse_args()
    listed = load(arguments.list)
    folder = arguments.list.parent
    version = subprocess.run([arguments.binary, '--version'], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    table = list(rows(listed, folder, arguments))
    text = render(listed.get('introduction', ''), f'Written by `evals/reproduce.py`, {version}.', table)
    (folder / listed['output']).write_text(text)
    print(text, end='')
    print(f"written: {folder / listed['output']}", file=sys.stderr)
    sys.exit(any(row['failed'] or row['met'] is False for row in table))


if __name__ == '__main__':
    main()
