// Prints the JSON string that it is given, then what it reads, until its input ends.
process.stdout.write(JSON.parse(process.argv[2]));
process.stdin.resume();
