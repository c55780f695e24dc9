package io.degradable.examples.shop.backend;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FaultJsonTest {

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {"mode":"up"}                                     | UP     | 0     | 0
            {"mode":"up","latencyMs":0,"errorRate":1}         | UP     | 0     | 0
            {"mode":"down"}                                   | DOWN   | 0     | 0
            {"mode":"hang"}                                   | HANG   | 0     | 0
            {"mode":"slow","latencyMs":60000}                 | SLOW   | 60000 | 0
            {"mode":"errors"}                                 | ERRORS | 0     | 1
            {"mode":"errors","errorRate":0.25}                | ERRORS | 0     | 0.25
            {"errorRate":0,"latencyMs":5,"mode":"errors"}     | ERRORS | 5     | 0
            """)
    void right_bodies_are_read(String body, Mode mode, int latencyMs, double errorRate) {
        assertThat(read(body)).isEqualTo(new Fault(mode, latencyMs, errorRate));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            ``                                           | not a JSON object
            `   `                                        | not a JSON object
            null                                         | not a JSON object
            []                                           | not a JSON object
            "up"                                         | not a JSON object
            3                                            | not a JSON object
            nonsense                                     | the body is not JSON: Unrecognized token
            {"mode":"up"                                 | the body is not JSON: Unexpected end
            {"mode":"up"} x                              | the body is not JSON: Unrecognized token
            {"mode":"up"}{"mode":"down"}                 | the body is not JSON: Trailing token
            {"mode":"up","mode":"down"}                  | the body is not JSON: Duplicate
            {'mode':'up'}                                | the body is not JSON: Unexpected character
            {"mode":"errors","errorRate":NaN}            | the body is not JSON: Non-standard token 'NaN'
            {"mode":"errors","errorRate":Infinity}       | the body is not JSON: Non-standard token 'Infinity'
            {}                                           | mode must be one of up, down, slow, hang, errors, was left out
            {"mode":null}                                | mode must be one of up, down, slow, hang, errors, was null
            {"mode":1}                                   | mode must be one of up, down, slow, hang, errors, was 1
            {"mode":"UP"}                                | mode must be one of up, down, slow, hang, errors, was "UP"
            {"mode":["up"]}                              | mode must be one of up, down, slow, hang, errors, was ["up"]
            {"mode":"up","delay":1}                      | unknown field delay
            {"mode":"slow"}                              | latencyMs must be from 1 to 60000 when mode is slow, was 0
            {"mode":"slow","latencyMs":0}                | latencyMs must be from 1 to 60000 when mode is slow, was 0
            {"mode":"slow","latencyMs":-1}               | latencyMs must be a whole number from 0 to 60000, was -1
            {"mode":"slow","latencyMs":60001}            | latencyMs must be a whole number from 0 to 60000, was 60001
            {"mode":"slow","latencyMs":99999999999}      | latencyMs must be a whole number from 0 to 60000, was 99999999999
            {"mode":"slow","latencyMs":1.5}              | latencyMs must be a whole number from 0 to 60000, was 1.5
            {"mode":"slow","latencyMs":"300"}            | latencyMs must be a whole number from 0 to 60000, was "300"
            {"mode":"slow","latencyMs":null}             | latencyMs must be a whole number from 0 to 60000, was null
            {"mode":"slow","latencyMs":true}             | latencyMs must be a whole number from 0 to 60000, was true
            {"mode":"errors","errorRate":-0.01}          | errorRate must be a number from 0 to 1, was -0.01
            {"mode":"errors","errorRate":1.01}           | errorRate must be a number from 0 to 1, was 1.01
            {"mode":"errors","errorRate":1e999}          | errorRate must be a number from 0 to 1, was Infinity
            {"mode":"errors","errorRate":"0.5"}          | errorRate must be a number from 0 to 1, was "0.5"
            {"mode":"errors","errorRate":null}           | errorRate must be a number from 0 to 1, was null
            {"mode":"up","errorRate":7}                  | errorRate must be a number from 0 to 1, was 7.0
            """)
    void wrong_bodies_are_refused_with_what_is_allowed(String body, String message) {
        assertThatThrownBy(() -> read(body))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message)
                .message()
                .containsAnyOf("allowed is", "must be");
    }

    @Test
    void long_values_are_quoted_only_in_part() {
        String word = "x".repeat(5_000);

        assertThatThrownBy(() -> read("{\"mode\":\"" + word + "\"}")).message().hasSizeLessThan(200);
        assertThatThrownBy(() -> read("{\"" + word + "\":1}")).message().hasSizeLessThan(400);
    }

    @Test
    void bytes_that_are_no_characters_and_nesting_without_end_are_refused() {
        byte[] noCharacters = {'{', '"', (byte) 0xff, (byte) 0xfe, '"', ':', '1', '}'};

        assertThatThrownBy(() -> FaultJson.read(noCharacters)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> read("[".repeat(9_000))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> read("{\"mode\":\"slow\",\"latencyMs\":" + "9".repeat(9_000) + "}"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Fault read(String body) {
        return FaultJson.read(body.getBytes(UTF_8));
    }
}
