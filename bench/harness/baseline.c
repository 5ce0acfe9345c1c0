/* baseline PORT PATH RATE SECONDS: sends at RATE over one connection; waits, writes, reads, no more. */

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000L

static int connected(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
	int descriptor = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0) {
		perror("connect");
		exit(1);
	}
	setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return descriptor;
}

int main(int count, char **words)
{
	static char response[1 << 16];
	char question[512];
	struct timespec due;

	if (count != 5)
		return 2;
	int port = atoi(words[1]), rate = atoi(words[3]), descriptor = connected(port);
	int length = snprintf(question, sizeof question,
			      "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", words[2], port);
	clock_gettime(CLOCK_MONOTONIC, &due);
	for (long left = (long)rate * atoi(words[4]); left > 0; left--) {
		due.tv_nsec += SECOND_NS / rate;
		due.tv_sec += due.tv_nsec / SECOND_NS;
		due.tv_nsec %= SECOND_NS;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
		if (write(descriptor, question, length) < 0 || read(descriptor, response, sizeof response) <= 0)
			return 1;
	}
	return 0;
}
